"""Instructions in user space, counted by callgrind, and the ceilings that they are held against."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = ("valgrind", "--tool=callgrind", "-q")


def build_folder():
    """The folder with the programs: the first argument, default build/release. Ends a run that has no valgrind."""
    if not shutil.which("valgrind"):
        print("skipped: there is no valgrind")
        sys.exit(0)
    return pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release").resolve()


def total(out):
    """Of a file that callgrind has written."""
    return int(re.search(r"^(?:totals|summary): (\d+)", out.read_text(errors="replace"), re.MULTILINE)[1])


def instructions(command, **options):
    """Of a whole run."""
    with tempfile.TemporaryDirectory(prefix="sallyport-callgrind-") as folder:
        out = pathlib.Path(folder) / "out"
        subprocess.run([*PROGRAM, f"--callgrind-out-file={out}", *command], check=True, **options)
        return total(out)


def of_a_turn(command, turns):
    """What one turn costs: the difference of two runs with so many turns, the last argument."""
    few, many = (instructions([*command, str(number)]) for number in turns)
    return (many - few) / (turns[1] - turns[0])


def ceilings(group):
    """Names and ceilings of a group."""
    for line in (ROOT / "tests/bench/ceilings").read_text(encoding="utf-8").split("\n"):
        if line.startswith(group + " "):
            _, name, ceiling = line.split()
            yield name, int(ceiling)


def judge(name, counted, ceiling, allowed=1.0):
    """Whether it is at most so many times the ceiling; prints that."""
    is_good = counted <= ceiling * allowed
    print(f"{name}: {counted:,.0f} instructions, ceiling {ceiling:,.0f}: {'good' if is_good else 'TOO MANY'}", flush=True)
    return is_good
