// Nothing: CMake makes a precompiled header only for a target with a source that uses it, and
// main.cpp cannot.
