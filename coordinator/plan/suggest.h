// "Did you mean …": the nearest of the words that are known. Pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sysfleet {

/// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
int EditDistance(std::string_view from, std::string_view to);

/// The known word that `word` was probably meant to be; empty where none is near. Near is one
/// wrong letter in four at most (one is always allowed), or a beginning of at least three letters.
std::string_view Nearest(std::string_view word, std::span<const std::string_view> known);

/// "did you mean 'threads'?", or "expected one of a, b, c" where nothing is near.
std::string Suggestion(std::string_view word, std::span<const std::string_view> known);

}  // namespace sysfleet
