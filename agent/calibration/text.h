// A calibration as a table for a terminal. Pure functions; every line ends with a newline.
#pragma once

#include <string>

#include "agent/calibration/calibration.h"

namespace sysfleet {

std::string CalibrationHead();

/// `cores`: how many this machine would drive a load with.
std::string CalibrationRow(const CoreRate& rate, int cores);

}  // namespace sysfleet
