#include "coordinator/sysbench/options.h"

#include <algorithm>
#include <array>

namespace sysfleet {
namespace {

using enum OptionType;
using enum OptionGroup;
using enum OptionUse;

constexpr std::string_view kNoThreads =
    "a connection is no thread, and its stack is the agent's business";
constexpr std::string_view kNoLua = "workloads are compiled, not run by Lua";
constexpr std::string_view kNoSuchTls =
    "agents encrypt without asking for certificates; use an encrypted network instead";
constexpr std::string_view kNoClientTrace = "the client libraries' traces would cost throughput";

constexpr std::array kSpecs = {
    OptionSpec{"threads", kInt, "1", kGeneral, kOwnRule, "run.threads",
               "connections over the whole fleet", "`prepare`: `load.threads`"},
    OptionSpec{"events", kInt, "0", kGeneral, kPlain, "run.events",
               "limit of events over the whole fleet; 0 is none",
               "not together with `warmup-time`"},
    OptionSpec{"time", kInt, "10", kGeneral, kSeconds, "run.time",
               "limit of the time in seconds; 0 is none",
               "what ends after it does not count; one of `time` and `events` is needed"},
    OptionSpec{"warmup-time", kInt, "0", kGeneral, kSeconds, "run.warmup_time",
               "seconds to run before anything counts",
               "what ends within it does not count, in no line"},
    OptionSpec{"forced-shutdown", kString, "off", kGeneral, kOwnRule, "run.forced_shutdown",
               "seconds to wait behind the time limit before cutting off what is under way; or "
               "N% of the time; or off",
               ""},
    OptionSpec{"thread-stack-size", kSize, "64K", kGeneral, kIgnored, "",
               "size of a thread's stack", kNoThreads},
    OptionSpec{"thread-init-timeout", kInt, "30", kGeneral, kSeconds, "run.thread_init_timeout",
               "seconds within which all connections must be open and prepared", ""},
    OptionSpec{"rate", kInt, "0", kGeneral, kOwnRule, "run.rate",
               "events per second over the whole fleet; 0 is as fast as possible",
               "intended starts are laid out for each connection and never lost: there is no queue "
               "that can be full, and the warm-up's is left behind"},
    OptionSpec{"report-interval", kInt, "0", kGeneral, kDisplay, "",
               "seconds between lines of intermediate figures; 0 is none", ""},
    OptionSpec{"report-checkpoints", kList, "", kGeneral, kDisplay, "",
               "seconds at which a full report is printed and all figures begin anew",
               "counted from the end of the warm-up"},
    OptionSpec{"debug", kBool, "off", kGeneral, kDisplay, "", "as verbosity 5",
               "no lines per thread"},
    OptionSpec{"validate", kBool, "off", kGeneral, kDisplay, "", "has no effect in OLTP tests", ""},
    OptionSpec{"help", kBool, "off", kGeneral, kDisplay, "", "print this and exit", ""},
    OptionSpec{"version", kBool, "off", kGeneral, kDisplay, "", "print the version and exit", ""},
    OptionSpec{"config-file", kFile, "", kGeneral, kDisplay, "",
               "a file of lines name=value; what comes later on the command line wins",
               "may set every option, a test's too"},
    OptionSpec{"luajit-cmd", kString, "", kGeneral, kIgnored, "", "a command to the Lua compiler",
               kNoLua},
    OptionSpec{"tx-rate", kInt, "0", kGeneral, kOwnRule, "run.rate", "old name of --rate", ""},
    OptionSpec{"max-requests", kInt, "0", kGeneral, kOwnRule, "run.events", "old name of --events",
               ""},
    OptionSpec{"max-time", kInt, "0", kGeneral, kOwnRule, "run.time", "old name of --time", ""},
    OptionSpec{"num-threads", kInt, "1", kGeneral, kOwnRule, "run.threads", "old name of --threads",
               ""},
    OptionSpec{"test", kString, "", kGeneral, kDisplay, "", "old way to name the test", ""},

    OptionSpec{"rand-type", kString, "uniform", kRandom, kPlain, "run.rand_type",
               "distribution of ids: uniform, gaussian, special, pareto, zipfian, "
               "scrambled_zipfian",
               "default as in sysbench's development version; 1.0.20's is `special`; `prepare`: "
               "`dataset.rand_type`, and so on"},
    OptionSpec{"rand-seed", kInt, "0", kRandom, kOwnRule, "run.seed",
               "seed of the random numbers; 0 is another one in each run",
               "reproducible for any number of threads and agents"},
    OptionSpec{"rand-spec-iter", kInt, "12", kRandom, kPlain, "run.rand_spec_iter",
               "how many numbers are averaged for gaussian and special", ""},
    OptionSpec{"rand-spec-pct", kInt, "1", kRandom, kPlain, "run.rand_spec_pct",
               "special: how much of the range is hot, in percent", ""},
    OptionSpec{"rand-spec-res", kInt, "75", kRandom, kPlain, "run.rand_spec_res",
               "special: how many of the numbers are hot, in percent",
               "spread over all of the hot range; sysbench's hit its upper three quarters only"},
    OptionSpec{"rand-pareto-h", kDouble, "0.2", kRandom, kPlain, "run.rand_pareto_h",
               "pareto: its parameter h", ""},
    OptionSpec{"rand-zipfian-exp", kDouble, "0.8", kRandom, kPlain, "run.rand_zipfian_exp",
               "zipfian: its exponent", ""},

    OptionSpec{"verbosity", kInt, "3", kLog, kDisplay, "",
               "how much is printed: 5 everything, 0 fatal errors only", ""},
    OptionSpec{"percentile", kString, "95", kLog, kOwnRule, "report.percentiles",
               "percentile of the latency, 1 to 100, or several with commas; 0 is none",
               "a list is ours; exact to 0.1 %, where sysbench's are within 1.8 %"},
    OptionSpec{"histogram", kBool, "off", kLog, kDisplay, "", "print a histogram of the latency",
               ""},

    OptionSpec{"db-driver", kString, "mysql", kDatabase, kOwnRule, "database.driver",
               "mysql or pgsql",
               "left out: pgsql where an option --pgsql-… is given and none --mysql-…"},
    OptionSpec{"db-ps-mode", kString, "auto", kDatabase, kPlain, "run.db_ps_mode",
               "prepared statements: auto or disable", ""},
    OptionSpec{"db-debug", kBool, "off", kDatabase, kIgnored, "", "print details of the driver",
               "sysbench prints zeros only"},

    OptionSpec{"mysql-host", kList, "localhost", kMysql, kOwnRule, "database.nodes",
               "hosts of the servers", "localhost is reached over TCP"},
    OptionSpec{"mysql-port", kList, "3306", kMysql, kOwnRule, "database.nodes",
               "ports of the servers: every one on every host", ""},
    OptionSpec{"mysql-socket", kList, "", kMysql, kRefused, "", "Unix sockets of the servers",
               "agents are other machines and connect over TCP"},
    OptionSpec{"mysql-user", kString, "sbtest", kMysql, kOwnRule, "database.user", "the user", ""},
    OptionSpec{"mysql-password", kString, "", kMysql, kOwnRule, "database.password",
               "the user's password", "left out: the environment's MYSQL_PWD"},
    OptionSpec{"mysql-db", kString, "sbtest", kMysql, kOwnRule, "database.name",
               "the database's name", ""},
    OptionSpec{"mysql-ssl", kString, "off", kMysql, kOwnRule, "database.tls",
               "TLS: on or off, or DISABLED, PREFERRED, REQUIRED",
               "VERIFY_CA and VERIFY_IDENTITY are refused"},
    OptionSpec{"mysql-ssl-key", kFile, "", kMysql, kRefused, "", "a client's key", kNoSuchTls},
    OptionSpec{"mysql-ssl-ca", kFile, "", kMysql, kRefused, "", "an authority's certificate",
               kNoSuchTls},
    OptionSpec{"mysql-ssl-cert", kFile, "", kMysql, kRefused, "", "a client's certificate",
               kNoSuchTls},
    OptionSpec{"mysql-ssl-cipher", kString, "", kMysql, kRefused, "", "the cipher of TLS",
               "the libraries choose it"},
    OptionSpec{"mysql-compression", kBool, "off", kMysql, kRefused, "",
               "compress what goes over the network", "it would measure the client's CPU"},
    OptionSpec{"mysql-compression-algorithms", kString, "zlib", kMysql, kRefused, "",
               "how to compress", "there is no compression"},
    OptionSpec{"mysql-debug", kBool, "off", kMysql, kIgnored, "", "trace the client library",
               kNoClientTrace},
    OptionSpec{"mysql-ignore-errors", kList, "1213,1020,1205", kMysql, kOwnRule,
               "run.ignore_errors", "numbers of errors to try again after, or all",
               "the transaction is rolled back first; counted by number in the results"},
    OptionSpec{"mysql-dry-run", kBool, "off", kMysql, kRefused, "",
               "pretend that the server answered", "`agent calibrate` measures the client alone"},

    OptionSpec{"pgsql-host", kList, "localhost", kPgsql, kOwnRule, "database.nodes",
               "hosts of the servers", "a list as in YugabyteDB's fork; no Unix sockets"},
    OptionSpec{"pgsql-port", kInt, "5432", kPgsql, kOwnRule, "database.nodes",
               "port of the servers", ""},
    OptionSpec{"pgsql-user", kString, "sbtest", kPgsql, kOwnRule, "database.user", "the user", ""},
    OptionSpec{"pgsql-password", kString, "", kPgsql, kOwnRule, "database.password",
               "the user's password", "left out: the environment's PGPASSWORD"},
    OptionSpec{"pgsql-db", kString, "sbtest", kPgsql, kOwnRule, "database.name",
               "the database's name", ""},
    OptionSpec{"pgsql-sslmode", kString, "prefer", kPgsql, kOwnRule, "database.tls",
               "TLS: disable, allow, prefer or require", "verify-ca and verify-full are refused"},

    OptionSpec{"auto_inc", kBool, "on", kOltp, kPlain, "dataset.auto_inc",
               "the server numbers inserted rows", ""},
    OptionSpec{"create_secondary", kBool, "on", kOltp, kPlain, "dataset.create_secondary",
               "an index on k", ""},
    OptionSpec{"create_table_options", kString, "", kOltp, kPlain, "dataset.create_table_options",
               "text to stand behind CREATE TABLE (…)", ""},
    OptionSpec{"delete_inserts", kInt, "1", kOltp, kPlain, "run.delete_inserts",
               "pairs of DELETE and INSERT in a transaction", ""},
    OptionSpec{"delta", kInt, "5", kOltp, kPlain, "run.delta",
               "select_random_ranges: the size of a range", ""},
    OptionSpec{"distinct_ranges", kInt, "1", kOltp, kPlain, "run.distinct_ranges",
               "SELECT DISTINCT of ranges in a transaction", ""},
    OptionSpec{"index_updates", kInt, "1", kOltp, kPlain, "run.index_updates",
               "UPDATEs of an indexed column in a transaction", ""},
    OptionSpec{"mysql_storage_engine", kString, "innodb", kOltp, kPlain,
               "dataset.mysql_storage_engine", "storage engine of the tables, MySQL", ""},
    OptionSpec{"non_index_updates", kInt, "1", kOltp, kPlain, "run.non_index_updates",
               "UPDATEs of a column without an index in a transaction", ""},
    OptionSpec{"number_of_ranges", kInt, "10", kOltp, kPlain, "run.number_of_ranges",
               "select_random_ranges: ranges in a statement", ""},
    OptionSpec{"order_ranges", kInt, "1", kOltp, kPlain, "run.order_ranges",
               "SELECT ORDER BY of ranges in a transaction", ""},
    OptionSpec{"pgsql_variant", kString, "", kOltp, kRefused, "", "a variant of PostgreSQL",
               "sysbench itself no longer reads it"},
    OptionSpec{"point_selects", kInt, "10", kOltp, kPlain, "run.point_selects",
               "SELECTs of a row in a transaction", ""},
    OptionSpec{"random_points", kInt, "10", kOltp, kPlain, "run.random_points",
               "select_random_points: points in a statement", ""},
    OptionSpec{"range_selects", kBool, "on", kOltp, kPlain, "run.range_selects",
               "SELECTs of ranges at all", ""},
    OptionSpec{"range_size", kInt, "100", kOltp, kPlain, "run.range_size", "rows of a range", ""},
    OptionSpec{"reconnect", kInt, "0", kOltp, kOwnRule, "run.reconnect",
               "connect anew after so many events; 0 is never", ""},
    OptionSpec{"secondary", kBool, "off", kOltp, kPlain, "dataset.secondary",
               "an ordinary index in place of the primary key, MySQL", ""},
    OptionSpec{"simple_ranges", kInt, "1", kOltp, kPlain, "run.simple_ranges",
               "simple SELECTs of ranges in a transaction", ""},
    OptionSpec{"skip_trx", kBool, "off", kOltp, kPlain, "run.skip_trx",
               "every statement is a transaction of its own", ""},
    OptionSpec{"sum_ranges", kInt, "1", kOltp, kPlain, "run.sum_ranges",
               "SELECT SUM() of ranges in a transaction", ""},
    OptionSpec{"table_size", kInt, "10000", kOltp, kPlain, "dataset.table_size", "rows of a table",
               ""},
    OptionSpec{"tables", kInt, "1", kOltp, kPlain, "dataset.tables", "tables",
               "bulk_insert: one a thread, as in sysbench"},

    OptionSpec{"serial_cache_size", kInt, "1000", kYugabytedb, kPlain, "dataset.serial_cache_size",
               "how many numbers a connection takes of a sequence at once",
               "left out for PostgreSQL: the server's own"},
    OptionSpec{"range_key_partitioning", kBool, "off", kYugabytedb, kPlain,
               "dataset.range_key_partitioning", "a primary key in ascending order, not hashed",
               ""},
    OptionSpec{"manual_range_splitting", kBool, "on", kYugabytedb, kPlain,
               "dataset.manual_range_splitting", "cut such a table into tablets of equal size",
               "right for every table"},
    OptionSpec{"num_table_splits", kInt, "24", kYugabytedb, kPlain, "dataset.num_table_splits",
               "into how many", ""},
    OptionSpec{"num_rows_in_insert", kInt, "10", kYugabytedb, kPlain, "run.num_rows_in_insert",
               "oltp_multi_insert: INSERTs in a transaction", ""},
    OptionSpec{"batch_insert_count", kInt, "4000", kYugabytedb, kPlain, "run.batch_insert_count",
               "oltp_multi_value_insert: rows of an event", ""},
    OptionSpec{"smaller_row_sizes", kBool, "off", kYugabytedb, kPlain, "run.smaller_row_sizes",
               "oltp_multi_value_insert: shorter texts in the rows", ""},

    OptionSpec{"agents", kList, "", kOurs, kOwnRule, "agents",
               "the fleet, as host:port,…; none: one agent on this machine, started for you", ""},
    OptionSpec{"print-plan", kBool, "off", kOurs, kDisplay, "",
               "print the plan that is equal to the command, and do nothing", ""},
    OptionSpec{"results-dir", kFile, "", kOurs, kOwnRule, "report.directory",
               "keep the run's results below this folder; none: they are not kept", ""},
    OptionSpec{"recreate", kBool, "off", kOurs, kDisplay, "",
               "prepare: drop the tables first, whatever they hold", ""},
};

}  // namespace

std::span<const OptionSpec> SysbenchOptionSpecs() {
  return kSpecs;
}

std::string CanonicalName(std::string_view name) {
  std::string canonical(name);
  std::replace(canonical.begin(), canonical.end(), '-', '_');
  return canonical;
}

const OptionSpec* FindOption(std::string_view name) {
  const std::string wanted = CanonicalName(name);
  const auto found = std::find_if(kSpecs.begin(), kSpecs.end(), [&](const OptionSpec& spec) {
    return CanonicalName(spec.name) == wanted;
  });
  return found == kSpecs.end() ? nullptr : &*found;
}

std::string_view ToString(OptionGroup group) {
  switch (group) {
    case kGeneral:
      return "General options";
    case kRandom:
      return "Pseudo-Random Numbers Generator options";
    case kLog:
      return "Log options";
    case kDatabase:
      return "General database options";
    case kMysql:
      return "mysql options";
    case kPgsql:
      return "pgsql options";
    case kOltp:
      return "OLTP options";
    case kYugabytedb:
      return "OLTP options of YugabyteDB's fork";
    case kOurs:
      return "sysfleet's own options";
  }
  return "";
}

bool IsOfOtherDriver(const OptionSpec& spec, std::string_view driver) {
  if (spec.name == "mysql_storage_engine" || spec.group == kMysql) return driver != "mysql";
  return (spec.group == kPgsql || spec.name == "serial_cache_size") && driver != "pgsql";
}

}  // namespace sysfleet
