import { expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { contentOf } from "#core/http/content/contentOf.ts";
import { createEncoder } from "#core/http/content/createEncoder.ts";
import { until } from "#test/harness/until.ts";

function open() {
	let nowMs = 0;
	const encoder = createEncoder({ clock: { nowMs: () => nowMs } });
	return { encoder, move: (ms: number) => (nowMs += ms) };
}

const page = (second: number, text = "cats ".repeat(500)) =>
	contentOf(JSON.stringify({ text, servedAt: `2026-03-01T12:00:0${second}.000Z` }));

test("every coding gives back the bytes that went in, and smaller ones on the way", async () => {
	const { encoder } = open();
	const content = page(1);
	const original = await content.blob.text();
	const back = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };
	for (const coding of ["gzip", "br", "zstd"] as const) {
		const blob = await encoder.encode(content, coding);
		expect(blob?.size).toBeLessThan(content.size / 5);
		expect(back[coding](await (blob ?? new Blob()).bytes()).toString()).toBe(original);
		expect(encoder.ready(content, coding)).toBe(blob);
	}
	expect(await encoder.encode(content, "identity")).toBe(content.blob);
	expect(await encoder.encode(content, "unchanged")).toBeNull();
});

test("waiting requests share one body, and so does a later equal answer", async () => {
	const { encoder, move } = open();
	const bodies = await Promise.all(Array.from({ length: 20 }, () => encoder.encode(page(1), "br")));
	expect(new Set(bodies).size).toBe(1);
	move(3_600_000);
	expect(encoder.ready(page(1), "br") === bodies[0]).toBe(true);
});

test("answers that differ only in their time are compressed ten times a second, and no request waits", async () => {
	const { encoder, move } = open();
	const first = await encoder.encode(page(1), "gzip");
	move(99);
	expect(encoder.ready(page(2), "gzip") === first).toBe(true);
	move(1);
	// Requested once more, while the next one is being compressed.
	expect(encoder.ready(page(2), "gzip") === first).toBe(true);
	const second = await encoder.encode(page(2), "gzip");
	await until(() => encoder.ready(page(2), "gzip") !== first, "the next one is compressed");
	const now = encoder.ready(page(2), "gzip");
	expect(gunzipSync(await (now ?? new Blob()).bytes()).toString()).toContain("12:00:02");
	expect(second === first || second === now).toBe(true);
	move(1_000);
	expect(encoder.ready(page(3), "gzip")).toBeUndefined();
});

test("another answer is never given in its place", async () => {
	const { encoder } = open();
	await encoder.encode(page(1), "zstd");
	expect(encoder.ready(page(1, "dogs ".repeat(500)), "zstd")).toBeUndefined();
	expect(encoder.ready(page(1), "gzip")).toBeUndefined();
});

test("compressed bodies are bounded together: the one used longest ago goes first", async () => {
	const { encoder } = open();
	const noise = () => contentOf(crypto.getRandomValues(new Uint8Array(65_536)).toBase64());
	const contents = Array.from({ length: 270 }, noise);
	for (const content of contents) await encoder.encode(content, "gzip");
	const [first, last] = [contents[0], contents.at(-1)];
	if (!first || !last) throw new Error("nothing was made");
	expect(encoder.ready(first, "gzip")).toBeUndefined();
	expect(encoder.ready(last, "gzip")).toBeDefined();
	expect(contents.filter((one) => encoder.ready(one, "gzip")).length).toBeGreaterThan(200);
});
