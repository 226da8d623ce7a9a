#!/usr/bin/env python3
"""Random stacks written in each of fold's formats: generate.py SEED FOLDER makes FOLDER/FORMAT and FOLDER/FORMAT.folded.
SPDX-License-Identifier: GPL-2.0-or-later"""
import json, os, random, sys
from collections import Counter, defaultdict

rng = random.Random(int(sys.argv[1]))
folder = sys.argv[2]


def random_stacks(names=None):
    """{(root, ..., leaf): count}; some stacks are the beginning of others, functions recur."""
    names = names or ["f%d" % i for i in range(12)]
    stacks = Counter()
    for _ in range(rng.randrange(1, 40)):
        stacks[tuple(rng.choice(names) for _ in range(rng.randrange(1, 9)))] += rng.randrange(1, 1000)
    return stacks


def tree(stacks, key=lambda s: s):
    """Nested rows: {name: [inclusive, children]}"""
    top = {}
    for stack, n in stacks.items():
        level = top
        for name in key(stack):
            row = level.setdefault(name, [0, {}])
            row[0] += n
            level = row[1]
    return top


def write(name, text, stacks):
    mode = "wb" if isinstance(text, bytes) else "w"
    with open(os.path.join(folder, name), mode) as f:
        f.write(text)
    with open(os.path.join(folder, name + ".folded"), "w") as f:
        for stack, n in stacks.items():
            f.write("%s %s\n" % (";".join(stack), n))


def pmcstat():
    stacks = random_stacks()
    out = ["@ EVENT [%d samples]" % sum(stacks.values()), ""]

    def rows(level, depth, whole):
        for name, (n, inner) in sorted(level.items(), key=lambda row: -row[1][0]):
            percent = "100.0%" if n == whole else "%05.2f%%" % (100 * n / whole)
            out.append("%s%s  [%d]%s%s%s" % (" " * depth, percent, n, " " * max(1, 12 - len(" [%d] " % n)), " " * depth, name))
            rows(inner, depth + 1, n)
            if not depth:
                out.append("")
    rows(tree(stacks, lambda s: s[::-1]), 0, sum(stacks.values()))
    write("pmcstat", "\n".join(out) + "\n", stacks)


def sample():
    stacks = random_stacks()
    stacks = Counter({("Thread_1",) + s: n for s, n in stacks.items()})
    out = ["Analysis of sampling x (pid 1) every 1 millisecond", "", "Call graph:"]

    def rows(level, depth):
        for name, (n, inner) in level.items():
            drawn = "".join(rng.choice([" ", "+", "!", ":", "|"]) + " " for _ in range(depth))
            out.append("    %s%d %s%s" % (drawn, n, name, "  (in x) + 4  [0x10]" if depth else ""))
            rows(inner, depth + 1)
    rows(tree(stacks), 0)
    out += ["", "Total number in stack (recursive counted multiple, when >=5):", ""]
    write("sample", "\n".join(out), Counter({s[:1] + tuple("x`" + f for f in s[1:]): n for s, n in stacks.items()}))


def svg():
    stacks = random_stacks(["f%d <&> (x)" % i for i in range(6)])
    total, boxes = sum(stacks.values()), []

    def lay(level, depth, x):
        for name, (n, inner) in sorted(level.items()):
            boxes.append((name, n, x, depth))
            lay(inner, depth + 1, x)
            x += n
    lay({"all": [total, tree(stacks)]}, 0, 0)
    rng.shuffle(boxes)
    esc = lambda s: s.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    px = lambda v: 10 + round(v * 11800 / total) / 10
    out = ['<?xml version="1.0" standalone="no"?>', '<svg version="1.1" width="1200" xmlns="http://www.w3.org/2000/svg">']
    for name, n, x, depth in boxes:
        out.append('<g class="func_g" onmouseover="s(this)"><title>%s (%s samples, %.2f%%)</title><rect x="%.1f" y="%d" width="%.1f" height="15.0"/></g>'
                   % (esc(name), "{:,}".format(n), 100 * n / total, px(x), 1000 - 16 * depth, px(x + n) - px(x)))
    write("svg", "\n".join(out) + "\n</svg>\n", stacks)


def blocks(name, frame, count, head="", names=None, shown=lambda f: f):
    stacks = random_stacks(names)
    out = head
    for stack, n in stacks.items():
        out += "".join(frame(f) + "\n" for f in reversed(stack)) + count(n) + "\n\n"
    write(name, out, Counter({tuple(map(shown, s)): n for s, n in stacks.items()}))


def threads(name, head, frame, tail=""):
    stacks, out = random_stacks(), []
    for stack, n in stacks.items():
        stacks[stack] = n = n % 4 + 1
        for _ in range(n):
            out.append(head + "".join(frame(i, f) for i, f in enumerate(reversed(stack))) + "\n")
    rng.shuffle(out)
    write(name, "".join(out) + tail, stacks)


def node_list(stacks):
    """Nodes by number from 1, the root: (parent, name), and each stack's node."""
    nodes, numbers = {1: (0, "(root)")}, {(): 1}
    for stack in stacks:
        for i in range(1, len(stack) + 1):
            if stack[:i] not in numbers:
                numbers[stack[:i]] = len(numbers) + 1
                nodes[numbers[stack[:i]]] = (numbers[stack[:i - 1]], stack[i - 1])
    return nodes, numbers


def shuffled_samples(stacks):
    samples = [s for s, n in stacks.items() for _ in range(n % 20 + 1)]
    rng.shuffle(samples)
    return samples, Counter(samples)


def cpuprofile():
    samples, stacks = shuffled_samples(random_stacks())
    nodes, numbers = node_list(stacks)
    children = defaultdict(list)
    for i, (parent, _) in nodes.items():
        children[parent].append(i)
    frame = lambda f: {"functionName": f, "scriptId": "1", "url": "", "lineNumber": -1, "columnNumber": -1}
    write("cpuprofile", json.dumps({
        "nodes": [{"id": i, "callFrame": frame(f), "hitCount": 0, "children": children[i]} for i, (_, f) in nodes.items()],
        "startTime": 0, "endTime": 10 * len(samples), "samples": [numbers[s] for s in samples], "timeDeltas": [10] * len(samples)}), stacks)


def firefox():
    samples, stacks = shuffled_samples(random_stacks())
    nodes, numbers = node_list(stacks)
    strings = sorted({f for _, f in nodes.values()})
    order = sorted(nodes)
    table = {"stackTable": {"frame": [strings.index(nodes[i][1]) for i in order], "prefix": [nodes[i][0] - 1 if nodes[i][0] else None for i in order]},
             "frameTable": {"func": list(range(len(strings)))}, "funcTable": {"name": list(range(len(strings)))}, "stringArray": strings}
    thread = {"name": "t", "pid": 1, "tid": 2, "samples": {"stack": [numbers[s] - 1 for s in samples], "time": list(range(len(samples)))}}
    write("firefox", json.dumps({"meta": {"preprocessedProfileVersion": 50, "interval": 1}, "threads": [dict(thread, **table)]}),
          Counter({("t",) + s: n for s, n in stacks.items()}))


def speedscope():
    stacks = random_stacks()
    frames = sorted({f for s in stacks for f in s})
    profile = {"type": "sampled", "name": "x", "unit": "none", "samples": [[frames.index(f) for f in s] for s in stacks], "weights": list(stacks.values())}
    write("speedscope", json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json", "profiles": [profile], "shared": {"frames": [{"name": f} for f in frames]}}), stacks)


def slices():
    """Open and closed frames: (time, opens, depth, name), and the own time of each stack."""
    events, own, now, stack = [], Counter(), 0, []
    for _ in range(rng.randrange(2, 60)):
        if stack and rng.random() < 0.45:
            events.append((now, False, len(stack), stack.pop()))
        else:
            stack.append("f%d" % rng.randrange(9))
            events.append((now, True, len(stack), stack[-1]))
        if stack:
            step = rng.randrange(1, 1000)
            own[tuple(stack)] += step
            now += step
    while stack:
        events.append((now, False, len(stack), stack.pop()))
    return events, own


def chrome():
    events, own = slices()
    out, opened = [], []
    as_pairs = rng.random() < 0.5
    for now, opens, _, name in events:
        if opens:
            opened.append((now, name))
        elif not as_pairs:
            start, _ = opened.pop()
            out.append({"ph": "X", "name": name, "ts": start, "dur": now - start, "pid": 1, "tid": 1})
        if as_pairs:
            out.append({"ph": "B" if opens else "E", "name": name, "ts": now, "pid": 1, "tid": 1})
    if not as_pairs:
        rng.shuffle(out)
    write("chrome-trace", json.dumps({"traceEvents": out}), own)


def evented():
    events, own = slices()
    frames = sorted({name for *_, name in events})
    profile = {"type": "evented", "name": "x", "unit": "microseconds", "startValue": 0, "endValue": events[-1][0],
               "events": [{"type": "O" if opens else "C", "frame": frames.index(name), "at": now} for now, opens, _, name in events]}
    write("speedscope_evented", json.dumps({"shared": {"frames": [{"name": f} for f in frames]}, "profiles": [profile]}), own)


def xdebug():
    events, own = slices()
    out = "Version: 3.1.0\nFile format: 4\nTRACE START [x]\n"
    for i, (now, opens, depth, name) in enumerate(events):
        out += "%d\t%d\t%d\t%.6f\t1000" % (depth, i, not opens, now / 1e6) + ("\t%s\t1\t\tx.php\t1\t0" % name if opens else "") + "\n"
    write("xdebug", out + "TRACE END [x]\n", own)


def varint(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def pprof():
    stacks = random_stacks()
    names = sorted({f for s in stacks for f in s})
    strings = ["", "samples", "count", "cpu", "nanoseconds"] + names
    number = {f: names.index(f) + 7 for f in names}
    out = field(1, field(1, 1) + field(2, 2)) + field(1, field(1, 3) + field(2, 4))
    for stack, n in stacks.items():
        ids = [number[f] for f in reversed(stack)]
        packed = rng.random() < 0.5
        places = field(1, b"".join(map(varint, ids))) if packed else b"".join(field(1, i) for i in ids)
        out += field(2, places + field(2, varint(n) + varint(n * 10000000)))
    for f in names:
        out += field(4, field(1, number[f]) + field(4, field(1, number[f]) + field(2, 3)))
        out += field(5, field(1, number[f]) + field(2, strings.index(f)))
    write("pprof", out + b"".join(field(6, s.encode()) for s in strings), stacks)


def goraw():
    stacks = random_stacks()
    names = sorted({f for s in stacks for f in s})
    out = "PeriodType: cpu nanoseconds\nPeriod: 1\nSamples:\nsamples/count cpu/nanoseconds\n"
    for stack, n in stacks.items():
        out += "%11d %10d: %s \n" % (n, n * 100, " ".join(str(names.index(f) + 1) for f in reversed(stack)))
    out += "Locations\n" + "".join("%6d: 0x%x M=1 %s /x.go:%d:0 s=0\n" % (i + 1, i, f, i) for i, f in enumerate(names))
    write("go-raw", out + "Mappings\n1: 0x0/0x1/0x0 /x [FN]\n", stacks)


def rows_with_own(stacks, line):
    out = []

    def walk(level, prefix):
        for name, (n, inner) in level.items():
            here = prefix + (name,)
            out.append(line(len(prefix), name, stacks.get(here, 0), n))
            walk(inner, here)
    walk(tree(stacks), ())
    return "".join(out)


def tables():
    stacks = random_stacks()
    write("vtune", "Function Stack,CPU Time:Self,Module\n" + rows_with_own(stacks, lambda d, f, own, n: "%s%s,%.3f,m\n" % (" " * d, f, own / 1000)),
          Counter({tuple("m`" + f for f in s): n for s, n in stacks.items()}))
    write("vsprof", "Level,Function Name,Inclusive Samples,Exclusive Samples,Module Name,\n" +
          rows_with_own(stacks, lambda d, f, own, n: '%d,"%s","%s","%s","m",\n' % (d + 1, f, "{:,}".format(n), "{:,}".format(own))), stacks)
    write("ghcprof", "COST CENTRE MODULE SRC no. entries %time %alloc %time %alloc ticks bytes\n\n" +
          rows_with_own(stacks, lambda d, f, own, n: "%s%s M <no location info> 1 2 0.0 0.0 0.0 0.0 %d 0\n" % (" " * d, f, own)),
          Counter({tuple("M." + f for f in s): n for s, n in stacks.items()}))
    write("instruments", "Running Time\tSelf (ms)\t\tSymbol Name\n" +
          rows_with_own(stacks, lambda d, f, own, n: "%.2f ms 1.0%%\t%.2f ms\t \t%s%s\n" % (n, own, " " * d, f)),
          stacks)


def xctrace():
    samples, stacks = shuffled_samples(random_stacks())
    ids, out = {}, ""
    for s in samples:
        if s in ids:
            out += '<row><backtrace ref="%d"/></row>\n' % ids[s]
            continue
        ids[s], frames = len(ids) + 1000, ""
        for f in reversed(s):
            frames += '<frame ref="%s"/>' % ids[f] if f in ids else '<frame id="%d" name="%s" addr="0x1"></frame>' % (len(ids) + 1, f)
            ids.setdefault(f, len(ids) + 1)
        out += '<row><backtrace id="%d">%s</backtrace></row>\n' % (ids[s], frames)
    write("xctrace", "<?xml version='1.0'?><trace-query-result><node>" + out + "</node></trace-query-result>", stacks)


pmcstat()
sample()
svg()
blocks("dtrace", lambda f: "              m`%s+0x1f" % f, lambda n: "%17d" % n, "CPU     ID                    FUNCTION:NAME\n", shown=lambda f: "m`" + f)
blocks("stap", lambda f: " 0xffffffff81055a10 : %s+0x6/0x10 [kernel]" % f, lambda n: "\t%d" % n)
blocks("bcc", lambda f: "    " + f, lambda n: "    -                comm (12)\n        %d" % n, "Sampling at 49 Hertz of all threads by user + kernel stack... Hit Ctrl-C to end.\n")
threads("gdb", "Thread 2 (Thread 0x7f (LWP 1) \"x\"):\n", lambda i, f: "#%-2d 0x0000 in %s (a=\"(\") at x.c:3\n" % (i, f))
threads("eu-stack", "PID 1 - process\nTID 1:\n", lambda i, f: "#%-2d 0x00007f8c1d2a3b50 %s\n" % (i, f))
threads("lldb", "* thread #1\n", lambda i, f: "    frame #%d: 0x0000000100000f50 m`%s(x=3) at main.c:5:3\n" % (i, f))
threads("jstack", '"t" #1 nid=0x1 runnable\n   java.lang.Thread.State: RUNNABLE\n', lambda i, f: "\tat %s(X.java:1)\n" % f)
threads("faulthandler", "Thread 0x00007f01 (most recent call first):\n", lambda i, f: '  File "x.py", line 1 in %s\n' % f)
cpuprofile()
firefox()
speedscope()
evented()
chrome()
xdebug()
pprof()
goraw()
tables()
xctrace()
