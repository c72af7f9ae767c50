#ifdef __SANITIZE_THREAD__

/// ThreadSanitizer knows no fences, by which moodycamel::ConcurrentQueue learns that a block of its messages was taken
/// before it is written again (the library's own comment on TSAN says so). Only a race whose both accesses are the
/// library's own is let pass.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): the sanitizer asks for it by this name
extern "C" const char* __tsan_default_suppressions() { return "race_top:moodycamel::ConcurrentQueue\n"; }

#endif
