#include "agent/database/mysql/prepared_statements.h"

#include <mysql.h>

#include <utility>

namespace sysfleet {

PreparedStatements::~PreparedStatements() {
  if (scratch_ != nullptr) mysql_stmt_close(scratch_);
  for (const auto& shape : shapes_) mysql_stmt_close(shape->handle);
}

st_mysql_stmt* PreparedStatements::Scratch(st_mysql* connection) {
  if (scratch_ == nullptr) scratch_ = mysql_stmt_init(connection);
  return scratch_;
}

bool PreparedStatements::Add(const StatementSpec& spec) {
  if (mysql_stmt_param_count(scratch_) != spec.parameters.size()) return false;
  Statement statement{.spec = &spec,
                      .shape = FindShape(spec, mysql_stmt_field_count(scratch_)),
                      .server_id = static_cast<uint32_t>(scratch_->stmt_id)};
  if (statement.shape == nullptr) {
    AddShape(spec);
    statement.shape = shapes_.back().get();
  } else {
    // As good as new: the library would have the server drop the statement first otherwise.
    scratch_->state = MYSQL_STMT_INITTED;
  }
  statements_.push_back(statement);
  return true;
}

st_mysql_stmt* PreparedStatements::TakeScratch() {
  // Closing a handle has the server drop the statement of this number; there is none of 0.
  if (scratch_ != nullptr) scratch_->stmt_id = 0;
  return std::exchange(scratch_, nullptr);
}

st_mysql_stmt* PreparedStatements::TakeLast(st_mysql* connection) {
  const Statement last = statements_.back();
  statements_.pop_back();
  if (last.shape == nullptr) return nullptr;
  st_mysql_stmt* handle = nullptr;
  if (last.shape->spec == last.spec) {
    // The first of its shape, which is the last shape left: the others' statements came later.
    handle = last.shape->handle;
    shapes_.pop_back();
  } else {
    handle = mysql_stmt_init(connection);
    if (handle == nullptr) return nullptr;
    handle->state = MYSQL_STMT_PREPARED;
  }
  handle->stmt_id = last.server_id;
  return handle;
}

PreparedStatements::Shape* PreparedStatements::FindShape(const StatementSpec& spec,
                                                         unsigned columns) {
  for (const auto& shape : shapes_) {
    if (shape->spec->parameters == spec.parameters &&
        mysql_stmt_field_count(shape->handle) == columns) {
      return shape.get();
    }
  }
  return nullptr;
}

// The scratch handle becomes the shape's.
void PreparedStatements::AddShape(const StatementSpec& spec) {
  auto shape = std::make_unique<Shape>();
  shape->handle = std::exchange(scratch_, nullptr);
  shape->spec = &spec;
  const size_t count = spec.parameters.size();
  shape->integers.resize(count);
  shape->lengths.resize(count);
  std::vector<MYSQL_BIND> binds(count);
  for (size_t i = 0; i < count; ++i) {
    MYSQL_BIND& bind = binds[i];
    bind.buffer = &shape->integers[i];
    switch (spec.parameters[i]) {
      case ParameterType::kInt32:
        bind.buffer_type = MYSQL_TYPE_LONG;
        break;
      case ParameterType::kInt64:
        bind.buffer_type = MYSQL_TYPE_LONGLONG;
        break;
      case ParameterType::kText:
        bind.buffer_type = MYSQL_TYPE_STRING;
        bind.length = &shape->lengths[i];
        break;
    }
  }
  mysql_stmt_bind_param(shape->handle, binds.data());
  shapes_.push_back(std::move(shape));
}

st_mysql_stmt* PreparedStatements::Bind(size_t statement, std::span<const Value> values) {
  const Statement& bound = statements_[statement];
  if (bound.shape == nullptr) return nullptr;
  Shape& shape = *bound.shape;
  const std::vector<ParameterType>& types = bound.spec->parameters;
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i] == ParameterType::kText) {
      shape.handle->params[i].buffer = const_cast<char*>(values[i].text.data());
      shape.lengths[i] = values[i].text.size();
    } else {
      // Low bytes first, as on the wire: where four are bound they are the number's too.
      shape.integers[i] = values[i].integer;
    }
  }
  shape.handle->stmt_id = bound.server_id;
  shape.handle->send_types_to_server = bound.types_sent ? 0 : 1;
  return shape.handle;
}

}  // namespace sysfleet
