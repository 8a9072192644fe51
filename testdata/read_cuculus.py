#!/usr/bin/env python3
"""A second reader of Cuculus files, written from FORMAT.md alone: read_cuculus.py [FILE...]

Checks each file (default: all golden files beside it) and the keys listed in the .keys file beside that."""
import math, pathlib, struct, sys, zlib

M64 = (1 << 64) - 1
SECRET = bytes.fromhex(  # XXH3's published secret
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221"
    "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb"
    "170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")
P32, P64 = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D), (
    0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)


def u32(b, at): return int.from_bytes(b[at:at + 4], "little")
def u64(b, at): return int.from_bytes(b[at:at + 8], "little")
def rotl(x, n): return (x << n | x >> (64 - n)) & M64
def swap(x, n): return int.from_bytes(x.to_bytes(n, "little"), "big")
def fold(a, b): return (a * b & M64) ^ (a * b >> 64)
def unshift(h, n): return h ^ h >> n
def mix(h, shift, prime, last): return unshift(unshift(h, shift) * prime & M64, last)
def avalanche(h): return mix(h, 37, 0x165667919E3779F9, 32)
def avalanche64(h): return mix(mix(h, 33, P64[1], 29), 64, P64[2], 32)


def xxh3(data, seed=0):
    n, s = len(data), SECRET
    def mix16(at, sat):
        return fold(u64(data, at) ^ (u64(s, sat) + seed & M64), u64(data, at + 8) ^ (u64(s, sat + 8) - seed & M64))
    if n == 0: return avalanche64(seed ^ u64(s, 56) ^ u64(s, 64))
    if n <= 3:
        word = data[0] << 16 | data[n >> 1] << 24 | data[n - 1] | n << 8
        return avalanche64(word ^ ((u32(s, 0) ^ u32(s, 4)) + seed & M64))
    if n <= 8:
        seed ^= swap(seed & 0xFFFFFFFF, 4) << 32
        x = (u32(data, n - 4) + (u32(data, 0) << 32)) ^ ((u64(s, 8) ^ u64(s, 16)) - seed & M64)
        x = (x ^ rotl(x, 49) ^ rotl(x, 24)) * 0x9FB21C651E98DF25 & M64
        return mix(x ^ (x >> 35) + n, 64, 0x9FB21C651E98DF25, 28)
    if n <= 16:
        low = u64(data, 0) ^ ((u64(s, 24) ^ u64(s, 32)) + seed & M64)
        high = u64(data, n - 8) ^ ((u64(s, 40) ^ u64(s, 48)) - seed & M64)
        return avalanche(n + swap(low, 8) + high + fold(low, high) & M64)
    acc = n * P64[0]
    if n <= 128:
        for i in range((n - 1) // 32, -1, -1):
            acc += mix16(16 * i, 32 * i) + mix16(n - 16 * (i + 1), 32 * i + 16)
        return avalanche(acc & M64)
    if n <= 240:
        acc = avalanche(acc + sum(mix16(16 * i, 16 * i) for i in range(8)) & M64)
        acc += sum(mix16(16 * i, 16 * (i - 8) + 3) for i in range(8, n // 16)) + mix16(n - 16, 136 - 17)
        return avalanche(acc & M64)
    s = b"".join(struct.pack("<QQ", u64(s, i) + seed & M64, u64(s, i + 8) - seed & M64) for i in range(0, 192, 16))
    a = [P32[2], P64[0], P64[1], P64[2], P64[3], P32[1], P64[4], P32[0]]
    def stripe(at, sat):
        for i, value in enumerate(struct.unpack_from("<8Q", data, at)):
            key = value ^ u64(s, sat + 8 * i)
            a[i ^ 1] = a[i ^ 1] + value & M64
            a[i] = a[i] + (key & 0xFFFFFFFF) * (key >> 32) & M64
    for number in range((n - 1) // 64):
        stripe(64 * number, 8 * (number % 16))
        if number % 16 == 15:
            a[:] = [(x ^ x >> 47 ^ u64(s, 128 + 8 * i)) * P32[0] & M64 for i, x in enumerate(a)]
    stripe(n - 64, 192 - 64 - 7)
    pairs = (fold(a[i] ^ u64(s, 11 + 8 * i), a[i + 1] ^ u64(s, 19 + 8 * i)) for i in range(0, 8, 2))
    return avalanche(n * P64[0] + sum(pairs) & M64)


def siphash13(data, key):
    k = u64(key, 0), u64(key, 8)
    v = [k[0] ^ 0x736F6D6570736575, k[1] ^ 0x646F72616E646F6D, k[0] ^ 0x6C7967656E657261, k[1] ^ 0x7465646279746573]
    def rounds(count):
        for a, b, n, m in ((0, 1, 13, 32), (2, 3, 16, 0), (0, 3, 21, 0), (2, 1, 17, 32)) * count:
            v[a] = v[a] + v[b] & M64
            v[a], v[b] = rotl(v[a], m), rotl(v[b], n) ^ v[a]
    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) & 255])
    for (word,) in struct.iter_unpack("<Q", padded):
        v[3] ^= word
        rounds(1)
        v[0] ^= word
    v[2] ^= 255
    rounds(3)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


class Filter:
    def __init__(self, data, key=None):
        assert data[:8] == b"\x89CUCULUS", "not a filter"
        (version, header, self.layout, placement, self.hash, _, self.f, self.b, self.w, _, self.m, _, self.len, _,
         self.seed, check, _, packed, _, table_bytes, stored, stashed, table_sum, stash_sum
         ) = struct.unpack_from("<HH4B4I3Qd3Q2I5Q", data, 8)
        assert (version, header) == (1, 256), "unknown version"
        assert xxh3(data[:248]) == u64(data, 248), "header changed"
        assert len(data) == 256 + stored + 16 * stashed, "wrong length"
        table, stash = data[256:256 + stored], data[256 + stored:]
        assert (xxh3(table), xxh3(stash)) == (table_sum, stash_sum), "table or stash changed"
        self.table, self.xor, self.key = zlib.decompress(table) if packed else table, placement == 2, key
        self.stash = {e[:2]: e[2] for e in struct.iter_unpack("<QII", stash)}
        used = 512 * self.m if self.layout == 3 else (self.f - (self.layout == 2)) * self.b * self.m
        assert len(self.table) == table_bytes == (used // 8 if self.layout == 3 else (-(-used // 8) + 70) // 64 * 64)
        assert self.hash == 1 or key and siphash13(b"cuculus key check", key) == check, "wrong key"
        self.buckets = [self.bucket(i) for i in range(self.m)]
        items = sum(slot > 0 for bucket in self.buckets for slot in bucket)
        assert items + sum(self.stash.values()) == self.len, "wrong number of items"

    def bits(self, at, width):
        return int.from_bytes(self.table[at // 8:at // 8 + 5], "little") >> at % 8 & (1 << width) - 1

    def bucket(self, i):
        f, b, w = self.f, self.b, self.w
        if self.layout == 1:
            return [self.bits(f * (b * i + s), f) for s in range(b)]
        if self.layout == 3:
            return [self.bits(512 * i + ((f + 1) * s if s < w else f * s + w), f + (s < w)) for s in range(b)]
        at = 4 * (f - 1) * i
        code, nibbles = self.bits(at, 12), []
        for k in (4, 3, 2, 1):
            nibbles.insert(0, max(n for n in range(16) if math.comb(n + k - 1, k) <= code))
            code -= math.comb(nibbles[0] + k - 1, k)
        return [n << f - 4 | self.bits(at + 12 + (f - 4) * s, f - 4) for s, n in enumerate(nibbles)]

    def count(self, key):
        b, m, w, first, size, p = self.b, self.m, self.w, 0, self.w, None
        i1, r = divmod((xxh3(key, self.seed) if self.hash == 1 else siphash13(key, self.key)) * m, 1 << 64)
        if self.layout == 3:
            p, r = divmod(r * b, 1 << 64)
            first, size, p = (0, w, p) if p < w else (w, b - w, p - w)
            p, r = divmod(r * (size // 2 * 2), 1 << 64) if w % 2 or b % 2 else (p, r)
        fp = 1 + (r * ((1 << self.f + (first < w)) - 1) >> 64)
        t = fp * 0x9E3779B97F4A7C15 & M64
        c, r = divmod(((t ^ t >> 32) * 0x9E3779B97F4A7C15 & M64) * m, 1 << 64)
        i2 = i1 ^ (c | 1) if self.xor else ((c | 1) - i1) % m
        if self.layout != 3:
            return self.buckets[i1].count(fp) + self.buckets[i2].count(fp)
        d = r * size >> 64 | 1 - size % 2
        p += first + (size % 2 and p >= (d + d % 2 * size) // 2)
        q = first + (d - (p - first)) % size
        stashed = self.stash.get((b * min(i1, i2) + min(p, q), fp), 0)
        return stashed + sum(self.buckets[i][slot] == fp for i in (i1, i2) for slot in (p, q))


class Window(Filter):
    def __init__(self, data, key=None):
        assert xxh3(data[:248]) == u64(data, 248), "header changed"
        version, header, layout, placement, self.hash = struct.unpack_from("<HHBBB", data, 8)
        self.f, self.b, self.w, _, self.m, _, self.len, _, self.seed, check, hand = struct.unpack_from("<4I3Qd3Q", data, 16)
        table_bytes, stored, stashed, table_sum, tail_sum, _, steps, bits, _, ticks, now, opened, swept = (
            struct.unpack_from("<5Q4I4Q", data, 96))
        assert (version, header, layout, placement) == (3, 256, 5, 1) and stored == table_bytes == 64 * self.m
        self.xor, self.key, self.layout, count = False, key, 3, 1 << bits
        self.table, tail = data[256:256 + stored], data[256 + stored:]
        assert len(tail) == 8 * count + 16 * stashed, "wrong length"
        assert (xxh3(self.table), xxh3(tail)) == (table_sum, tail_sum), "table, stamps or stash changed"
        assert self.hash == 1 or key and siphash13(b"cuculus key check", key) == check, "wrong key"
        born = struct.unpack_from(f"<{count}Q", tail)
        given = [n % count for n in range(max(0, opened - count), opened)]
        assert all(born[a] < born[b] for a, b in zip(given, given[1:])) and (not given or born[given[-1]] <= now // ticks)
        alive = {stamp for stamp in given if now // ticks - born[stamp] <= steps}
        self.stash = {(c, fp): 1 for c, fp, stamp in struct.iter_unpack("<QII", tail[8 * count:]) if stamp in alive}
        self.f += bits
        slots = [self.bucket(i) for i in range(self.m)]
        self.buckets = [[slot >> bits if slot % count in alive else 0 for slot in line] for line in slots]
        self.f -= bits
        quota = -(-self.m // (count - steps - 1))
        reach = {n % count: (n + count - opened + 1) * quota - swept for n in range(max(0, opened - count), opened)}
        for i, slot in ((i, slot) for i, line in enumerate(slots) for slot in line if slot):
            stamp = slot % count
            assert slot >> bits and (stamp in alive or (i - hand) % self.m < reach[stamp]), "what the hand has left behind"
        items = sum(slot > 0 for line in self.buckets for slot in line)
        assert items + len(self.stash) == self.len, "wrong number of items"

    def bits(self, at, width):
        return int.from_bytes(self.table[at // 8:at // 8 + 8], "little") >> at % 8 & (1 << width) - 1

    def count(self, key):
        return min(super().count(key), 1)


class Growing:
    def __init__(self, data, key=None):
        assert data[:8] == b"\x89CUCULUS" and xxh3(data[:248]) == u64(data, 248), "header changed"
        version, header, layout, placement, self.hash, search = struct.unpack_from("<HHBBBB", data, 8)
        (self.width, self.b, self.w, self.core, self.lines, self.maximum, self.len, _, self.seed, check, first
         ) = struct.unpack_from("<4I3Qd3Q", data, 16)
        table_bytes, stored, stashed, table_sum, stash_sum, self.rows, self.planned, _, _ = struct.unpack_from("<5Q4I", data, 96)
        assert (version, header, layout, placement, search) == (2, 256, 4, 0, 0) and stored == table_bytes
        self.steps, self.key = [step for step in data[152:168] if step], key
        assert len(data) == 256 + stored + 24 * stashed, "wrong length"
        table, stash = data[256:256 + stored], data[256 + stored:]
        assert (xxh3(table), xxh3(stash)) == (table_sum, stash_sum), "table or stash changed"
        assert self.hash == 1 or key and siphash13(b"cuculus key check", key) == check, "wrong key"
        self.stash = [struct.unpack_from("<QIIBBB", stash, at) for at in range(0, len(stash), 24)]
        half = self.rows << (self.lines // (2 * self.rows)).bit_length() - 1
        first = min(self.lines - half, 2 * half, self.rows << (36 if self.core else self.planned))
        self.side_lines, at, self.storage, self.plane = [first, self.lines - first], 0, [], {}
        for lines in self.side_lines:
            self.storage.append([table[at + 64 * i:at + 64 * (i + 1)] for i in range(lines)])
            at += 64 * lines
        record = (self.b + 7) // 8
        for side, lines in enumerate(self.side_lines):
            depth, split = self.depth(lines)
            whole = self.rows << depth
            for bit in range(depth, max(self.end(depth), self.end(depth + 1))):
                for start, stop, d in ((0, split, depth + 1), (split, whole, depth), (whole, lines, depth + 1)):
                    for line in range(start, stop) if d <= bit < self.end(d) else ():
                        self.plane[side, bit, line] = int.from_bytes(table[at:at + record], "little")
                        at += record
        assert at == len(table), "wrong table"
        self.ways = self.make_ways()
        cells = [(side, line, slot) for side in (0, 1) for line in range(self.side_lines[side]) for slot in range(self.b)]
        entries = sum(self.entry(*cell) is not None for cell in cells) + sum(entry[2] for entry in self.stash)
        assert entries == self.len or self.core and entries > self.len, "wrong number of items"

    def make_ways(self):
        state = 0x5EED
        def word():
            nonlocal state
            state = state + 0x9E3779B97F4A7C15 & M64
            return mix(mix(state, 30, 0xBF58476D1CE4E5B9, 27), 64, 0x94D049BB133111EB, 31)
        addresses = [0] * 16
        for bit in range(64):
            order = list(range(16))
            for last in range(15, 0, -1):
                other = word() * (last + 1) >> 64
                order[last], order[other] = order[other], order[last]
            for way in order[:8]:
                addresses[way] |= 1 << bit
        return [(address, word() * self.rows >> 64) for address in addresses]

    def depth(self, lines):
        depth = (lines // self.rows).bit_length() - 1
        return depth, lines - (self.rows << depth)

    def end(self, depth):
        return max(depth, self.planned) + sum(step <= depth for step in self.steps)

    def entry(self, side, line, slot):
        depth, split = self.depth(self.side_lines[side])
        depth += line < split or line >= self.rows << depth
        start, width = self.width * slot + min(slot, self.w), self.width + (slot < self.w)
        held = int.from_bytes(self.storage[side][line], "little") >> start & (1 << width) - 1
        more = sum((self.plane[side, bit, line] >> slot & 1) << bit - depth for bit in range(depth, self.end(depth)))
        low = line // self.rows
        if not self.core:
            return (held, low | more << depth, self.end(depth)) if held else None
        field = held >> self.core << self.end(depth) - depth | more
        known = field.bit_length() - 1
        return (held & (1 << self.core) - 1, low | (field ^ 1 << known) << depth, depth + known) if field else None

    def count(self, key):
        h, rows = xxh3(key, self.seed) if self.hash == 1 else siphash13(key, self.key), self.rows
        r = h * 0xD6E8FEB86659FD93 & M64
        row, r = (0, r) if self.core else divmod(r * rows, 1 << 64)
        p, r = divmod(r * self.b, 1 << 64)
        first, size = (0, self.w) if p < self.w else (self.w, self.b - self.w)
        p, r = divmod(r * (size // 2 * 2), 1 << 64)
        core = r >> 64 - self.core if self.core else 1 + (r * ((1 << self.width + (first < self.w)) - 1) >> 64)
        t = (core + 1) * 0x9E3779B97F4A7C15 & M64
        d = ((t ^ t >> 32) * 0x9E3779B97F4A7C15 & M64) * size >> 64 | 1 - size % 2
        p += first + (size % 2 and p >= (d + d % 2 * size) // 2)
        q = first + (d - (p - first)) % size
        address, sum_of_rows = self.ways[core % 16]
        found = sum(copies for a, c, copies, slot, ro, known in self.stash
                    if (slot, c, ro) == (min(p, q), core, row) and (a ^ h) % (1 << known) == 0)
        for side, line_row, a in ((0, row, h), (1, (sum_of_rows - row) % rows, h ^ address)):
            depth, split = self.depth(self.side_lines[side])
            line = a % (1 << depth) * rows + line_row
            if line < split:
                line, depth = line + (a >> depth & 1) * (rows << depth), depth + 1
            for slot in (p, q):
                entry = self.entry(side, line, slot)
                if entry and entry[0] == core:
                    unread = (1 << max(depth, self.planned)) - (1 << depth)
                    found += (entry[1] ^ a) & ((1 << entry[2]) - 1) & ~unread == 0
        return found


def read(data, key):
    return {2: Growing, 3: Window}.get(data[8], Filter)(data, key)


golden = sorted(pathlib.Path(__file__).parent.glob("v*/*.cuculus"))
for name in map(pathlib.Path, sys.argv[1:] or golden or sys.exit("no golden files")):
    lines = [line.split(" ") for line in name.with_suffix(".keys").read_text().splitlines()]
    secret = next((bytes.fromhex(text) for word, text in lines if word == "key"), None)
    reader, keys = read(name.read_bytes(), secret), [line for line in lines if line[0] != "key"]
    for count, text in keys:
        assert reader.count(bytes.fromhex(text)) == int(count), f"{name}: another count for {text}"
    print(f"{name.name}: {reader.len} items, {len(keys)} keys agree")
