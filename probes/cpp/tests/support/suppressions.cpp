// What ThreadSanitizer is not to report. It reads this where it is compiled in; otherwise nobody does.

/// moodycamel::ReaderWriterQueue orders its messages by fences, which GCC's ThreadSanitizer does not know.
// NOLINTNEXTLINE(bugprone-reserved-identifier,misc-use-internal-linkage)
extern "C" const char* __tsan_default_suppressions() { return "race:moodycamel::ReaderWriterQueue\n"; }
