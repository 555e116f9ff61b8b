import { expect, test } from "bun:test";
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { inflateBody } from "#core/foreign/inflateBody.ts";

const text = Buffer.from('{"name":"Cat"}');
const forms: [string, Buffer][] = [
	["gzip", gzipSync(text)],
	["deflate", deflateSync(text)],
	["br", brotliCompressSync(text)],
	["identity", text],
];

test("each encoding is undone", async () => {
	for (const [name, body] of forms) expect(await inflateBody(body, name, 14)).toEqual(text);
	expect(await inflateBody(text, null, 14)).toEqual(text);
});

test("[SEC-05] a bomb of any encoding stops at the limit and costs little memory", async () => {
	const zeros = Buffer.alloc(100 * 1024 * 1024);
	const bombs: [string, Buffer][] = [
		["gzip", gzipSync(zeros)],
		["deflate", deflateSync(zeros)],
		["br", brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
	];
	for (const [name, bomb] of bombs) {
		const before = process.memoryUsage.rss();
		await expect(inflateBody(bomb, name, 1024 * 1024), name).rejects.toThrow("foreign_too_large");
		expect(process.memoryUsage.rss() - before, name).toBeLessThan(64 * 1024 * 1024);
	}
});

test("what is broken, unknown or wrapped twice is no answer", async () => {
	for (const [name, body] of forms.slice(0, 3)) {
		await expect(inflateBody(body.subarray(0, 8), name, 99)).rejects.toThrow("unreachable");
	}
	await expect(inflateBody(zstdCompressSync(text), "zstd", 99)).rejects.toThrow("unreachable");
	for (const name of ["gzip, gzip", "compress", "constructor", "toString"]) {
		await expect(inflateBody(gzipSync(text), name, 99)).rejects.toThrow("unreachable");
	}
});
