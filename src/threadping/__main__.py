"""The start of threadping: so small that Ctrl-C finds it whole, however early it comes."""

import gc
import os
import resource
import sys


def main() -> None:
    """Run the command line. What ends it while Python still imports it ends it as later: by a line, and 130."""
    code = 130
    gc.set_threshold(50_000)  # modules and records are trees: looking for cycles in them took a twentieth of `report`
    # Where files may not grow (`ulimit -f`) Python would leave compiled modules cut off, which no later start can read.
    sys.dont_write_bytecode |= resource.getrlimit(resource.RLIMIT_FSIZE)[0] != resource.RLIM_INFINITY
    # OpenBLAS, which numpy loads, starts a thread on every CPU, and ends us by SIGINT where it may start none. Not in
    # os.environ, which probes get: one of them may use OpenBLAS too.
    os.putenv("OPENBLAS_NUM_THREADS", "1")
    try:
        from threadping.probes.interrupts import interrupt_from_now_on

        interrupt_from_now_on()
        from threadping.cli.app import run

        code = run(sys.argv[1:])
        _let_nothing_interrupt()
    except KeyboardInterrupt:
        _let_nothing_interrupt()
        try:
            sys.stderr.write("threadping: Interrupted.\n")
        except OSError:  # a terminal that was closed
            code = 1
    gc.freeze()  # what is left ends with the process: to search it for cycles took a quarter of `show`
    sys.exit(code)


def _let_nothing_interrupt() -> None:
    """All is done: nothing may change the exit code any more, though it come while this is arranged."""
    while True:
        try:
            from threadping.probes.interrupts import ignore_from_now_on

            return ignore_from_now_on()
        except KeyboardInterrupt:
            continue


if __name__ == "__main__":
    main()
