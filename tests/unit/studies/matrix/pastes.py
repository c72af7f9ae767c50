"""Matrices as people attach them to issues, with figures made up: what the two tools print, and how it is pasted.

All but those in `OTHERS` say the same of four CPUs: two cores of two siblings.
"""

PAIRS = {(1, 0): 7.25, (2, 0): 20.5, (2, 1): 21.25, (3, 0): 20.75, (3, 1): 21.5, (3, 2): 7.5}
ROUNDED = {(1, 0): 7, (2, 0): 20, (2, 1): 21, (3, 0): 21, (3, 1): 22, (3, 2): 8}

CSV = ",,,\n7.25,,,\n20.5,21.25,,\n20.75,21.5,7.5,\n"

HEADING = """CPU: An Example @ 3.00GHz
Num cores: 4
Num iterations per samples: 5000
Num samples: 300

1) CAS latency on a single shared cache line

"""
CELLS = (
    "           0       1       2       3   \n      0\n      1    7±0 \n      2   20±0    21±1 \n"
    "      3   21±0    22±12    8±0 \n\n"
)
SUMMARY = (
    "    Min  latency: 7.2ns ±0.1 cores: (1,0)\n    Max  latency: 21.5ns ±0.9 cores: (3,1)\n    Mean latency: 16.5ns\n"
)
PRINTED = HEADING + CELLS + SUMMARY

BOLD, DIM, OFF = "\x1b[1;37m", "\x1b[2;37m", "\x1b[0m"
COLOURED = HEADING + (
    "           0       1       2       3   \n      0\n"
    f"      1 {BOLD}   7{OFF}{DIM}±0 {OFF}\n"
    f"      2 {BOLD}  20{OFF}{DIM}±0 {OFF} {BOLD}  21{OFF}{DIM}±1 {OFF}\n"
    f"      3 {BOLD}  21{OFF}{DIM}±0 {OFF} {BOLD}  22{OFF}{DIM}±12{OFF} {BOLD}   8{OFF}{DIM}±0 {OFF}\n\n"
    f"    Min  latency: {BOLD}7.2{OFF}ns {DIM}±0.1{OFF} cores: (1,0)\n"
)

PLAIN = " CPU    0    1    2    3\n   0    0    7   20   21\n   1    7    0   21   22\n   2   20   21    0    8\n"
PLAIN += "   3   21   22    8    0\n"
ROWS = "    0    7   20   21\n    7    0   21   22\n   20   21    0    8\n   21   22    8    0\n"
PLOT = (
    'reset\nset autoscale fix\nset title "Inter-core one-way data latency between CPU cores"\nset xlabel "Core N°"\n'
    f'set cblabel "Latency (ns)"\nunset key\n$data << EOD\n{ROWS}EOD\n'
    "plot '$data' matrix with image, '' matrix using 1:2:(sprintf('%d', $3)) with labels font ',auto'\n"
)

EXACT: dict[str, str | bytes] = {
    "CSV": CSV,
    "without a last newline": CSV[:-1],
    "CRLF": CSV.replace("\n", "\r\n"),
    "CRLF twice": CSV.replace("\n", "\r\r\n"),
    "UTF-8 with a mark": b"\xef\xbb\xbf" + CSV.encode(),
    "UTF-16, as PowerShell writes it": CSV.encode("utf-16"),
    "UTF-16, big-endian": b"\xfe\xff" + CSV.encode("utf-16-be"),
    "UTF-16 without a mark": CSV.encode("utf-16-le"),
    "both triangles": ",7.25,20.5,20.75\n7.25,,21.25,21.5\n20.5,21.25,,7.5\n20.75,21.5,7.5,\n",
    "upper triangle": ",7.25,20.5,20.75\n,,21.25,21.5\n,,,7.5\n,,,\n",
    "diagonal of zeros": "0,,,\n7.25,0.0,,\n20.5,21.25,0,\n20.75,21.5,7.5,0\n",
    "diagonal of NaN": "NaN,NaN,NaN,NaN\n7.25,nan,,\n20.5,21.25,NaN,\n20.75,21.5,7.5,NaN\n",
    "diagonal of NA": "NA,NA,NA,NA\n7.25,NA,NA,NA\n20.5,21.25,NA,NA\n20.75,21.5,7.5,NA\n",
    "a mark in the middle": f"it:\n\n\ufeff{CSV}",
    "diagonal of dashes": "-,,,\n7.25,-,,\n20.5,21.25,\N{EM DASH},\n20.75,21.5,7.5,--\n",
    "tabs": CSV.replace(",", "\t"),
    "semicolons": CSV.replace(",", ";"),
    "a German spreadsheet": CSV.replace(",", ";").replace(".", ","),
    "decimal commas and tabs": CSV.replace(",", "\t").replace(".", ","),
    "decimal commas in quotation marks": ',,,\n"7,25",,,\n"20,5","21,25",,\n"20,75","21,5","7,5",\n',
    "pandas": ",0,1,2,3\n0,,,,\n1,7.25,,,\n2,20.5,21.25,,\n3,20.75,21.5,7.5,\n",
    "pandas, read without a header": "Unnamed: 0,0,1,2,3\n0,,,,\n1,7.25,,,\n2,20.5,21.25,,\n3,20.75,21.5,7.5,\n",
    "pandas, printed": (
        "       0      1    2   3\n0    NaN    NaN  NaN NaN\n1   7.25    NaN  NaN NaN\n2  20.50  21.25  NaN NaN\n"
        "3  20.75  21.50  7.5 NaN\n"
    ),
    "names of CPUs": "core,cpu0,cpu1,cpu2,cpu3\ncpu0,,,,\ncpu1,7.25,,,\ncpu2,20.5,21.25,,\ncpu3,20.75,21.5,7.5,\n",
    "printed, and CSV (2>&1)": PRINTED + CSV,
    "CSV, then printed": f"output.csv:\n```\n{CSV}```\n\n```\n{PRINTED}```\n",
    "fenced, with a prompt": f"Here it is:\n\n```sh\n$ core-to-core-latency 5000 --csv\n{PRINTED}{CSV}```\n* lscpu\n",
    "quoted in a mail": "".join(f"> {line}\n" for line in (PRINTED + CSV).splitlines()),
    "indented": "".join(f"    {line}\n" for line in CSV.splitlines()),
}
"""Exact figures of core-to-core-latency, by the change made to its output."""

WHOLE: dict[str, str | bytes] = {
    "printed": PRINTED,
    "printed in Latin-1": PRINTED.encode("latin-1"),
    "printed in UTF-16": PRINTED.encode("utf-16"),
    "UTF-8 misread as Latin-1": PRINTED.replace("±", "\u00c2±"),
    "UTF-8 misread by a console": PRINTED.replace("±", "\u252c\u2592"),
    "what was no ±": PRINTED.replace("±", "\N{REPLACEMENT CHARACTER}"),
    "± in ASCII": PRINTED.replace("±", "+-"),
    "± of HTML": PRINTED.replace("±", "&plusmn;"),
    "coloured": COLOURED,
    "coloured, the escapes lost": COLOURED.replace("\x1b", ""),
    "an older version": (
        "Num cores: 4\nUsing RDTSC to measure time: false\nShowing latency=round-trip-time/2 in nanoseconds:\n\n"
        "       0       1       2       3   \n  0\n  1    7±0 \n  2   20±0    21±0 \n  3   21±0    22±0     8±0 \n\n"
    ),
    "tabs for blanks": PRINTED.replace("    ", "\t"),
    "without errors": "     0  1  2  3\n  0\n  1  7\n  2 20 21\n  3 21 22  8\n",
    "in both directions": (
        "           0       1       2       3   \n      0            7±0    20±0    21±0 \n"
        "      1    7±0            21±0    22±0 \n      2   20±0    21±0             8±0 \n"
        "      3   21±0    22±0     8±0         \n"
    ),
}
"""core-to-core-latency's figures for a person."""

C2CLAT: dict[str, str | bytes] = {
    "c2clat": PLAIN,
    "c2clat with its prompt": f"$ ./c2clat \n{PLAIN}$ ",
    "c2clat, fenced": f"```console\n$ taskset -c 0-3 ./c2clat\n{PLAIN}```\n",
    "c2clat -p": PLOT,
    "c2clat -p, prompted": f"$ ./c2clat -p\n{PLOT}",
    "c2clat -p, the rows alone": ROWS,
    "c2clat -p of a fork, with the CPUs": PLOT.replace(ROWS, PLAIN),
    "c2clat, siblings side by side": (
        " CPU    0    2    1    3\n   0    0   20    7   21\n   2   20    0   21    8\n   1    7   21    0   22\n"
        "   3   21    8   22    0\n"
    ),
}

OTHERS: dict[str, str | bytes] = {
    "three benchmarks": PRINTED
    + (
        "\n2) Single-writer single-reader latency on two shared cache lines\n\n"
        "           0       1   \n      0\n      1   52±0 \n\n    Mean latency: 52.0ns\n\n"
        "3) Message passing. One writer and one reader on many cache line\n\n"
        "           0       1   \n      0           61±3 \n      1   63±3         \n\n    Mean latency: 62.0ns\n"
    ),
    "three CSV without a word": CSV
    + ",,,\n8,,,\n9,10,,\n11,12,13,\n"
    + ",1.5,2.5,3.5\n4.5,,5.5,6.5\n7.5,8.5,,9.5\n1,2,3,\n",
    "named CPUs": ",4,8,12\n4,,,\n8,30.5,,\n12,31.5,32.5,\n",
    "both directions": ",20.5,87\n21,,88.25\n86,88.5,\n",
    "zeros": ",,,\n0,,,\n51.5,51.75,,\n53.25,51.5,26.5,\n",
}
