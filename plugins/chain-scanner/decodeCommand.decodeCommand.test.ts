import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { padHex } from "viem";
import type { ExtensionPoint } from "#core/plugin/Plugin.ts";
import { decodeCommand } from "#plugins/chain-scanner/decodeCommand.ts";
import { seaportVenue } from "#plugins/chain-scanner/venues/seaport/seaportVenue.ts";
import { seaportLogs } from "#test/harness/seaportOrder.ts";

const ROOT = join(import.meta.dir, "../..");
const nobody = padHex("0x0", { size: 20 });
const seller = padHex("0x5e", { size: 20 });
const buyer = padHex("0xb0", { size: 20 });
const nft = padHex("0xaa", { size: 20 });

/** A listing of 4 units filled for 1,002 wei, a fee of 2 included. */
const fulfilled = seaportLogs.fulfilled({
	orderHash: padHex("0x1", { size: 32 }),
	offerer: seller,
	zone: nobody,
	recipient: buyer,
	offer: [{ itemType: 3, token: nft, identifier: 2n ** 200n, amount: 4n }],
	consideration: [
		{ itemType: 0, token: nobody, identifier: 0n, amount: 1_000n, recipient: seller },
		{ itemType: 0, token: nobody, identifier: 0n, amount: 2n, recipient: nft },
	],
});
const sale = {
	venue: "seaport",
	contract: nft,
	tokenId: (2n ** 200n).toString(),
	quantity: "4",
	priceRaw: "250",
	currency: nobody,
	seller,
	buyer,
	accepted: true,
	reason: null,
};

let folder: string;
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "tapeline-decode-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function decode(content: unknown) {
	const file = join(folder, `${crypto.randomUUID()}.json`);
	await Bun.write(file, typeof content === "string" ? content : JSON.stringify(content));
	const out: string[] = [];
	const notes: string[] = [];
	const code = await decodeCommand.run([file], {
		env: {},
		contributions: <Value>(_: ExtensionPoint<Value>) => [seaportVenue] as unknown as Value[],
		out: (line) => void out.push(line),
		note: (line) => void notes.push(line),
		terminal: null,
		interrupted: () => new AbortController().signal,
		openCore: () => Promise.reject(new Error("it needs no runtime")),
	});
	return { code, notes, sales: out.map((line) => JSON.parse(line)) };
}

test("[ING-12] the sales in the logs are printed, one JSON line each, with the price of a unit", async () => {
	expect(await decode([fulfilled])).toEqual({ code: 0, notes: [], sales: [sale] });
	const upper = { ...fulfilled, address: fulfilled.address.toUpperCase().replace("0X", "0x") };
	const { logIndex, transactionHash, ...bare } = upper;
	expect((await decode([[bare], { logs: [bare] }])).sales).toEqual([sale, sale]);
});

test("a log that cannot be decoded is reported, the others are printed, and the exit code is 1", async () => {
	const torn = { ...fulfilled, data: "0x1234", logIndex: 3 };
	const { code, notes, sales } = await decode([[torn], [fulfilled]]);
	expect(code).toBe(1);
	expect(sales).toEqual([sale]);
	expect(notes).toHaveLength(1);
	expect(notes[0]).toStartWith("log 3: ");
});

test("[ING-12] a match log without its counterpart is reported, and the exit code is 1", async () => {
	const half = seaportLogs.fulfilled(
		{
			orderHash: padHex("0x2", { size: 32 }),
			offerer: buyer,
			zone: nobody,
			recipient: nobody,
			offer: [{ itemType: 1, token: padHex("0x33", { size: 20 }), identifier: 0n, amount: 9n }],
			consideration: [],
		},
		{ address: seaportLogs.v11, logIndex: 4 },
	);
	const { code, notes, sales } = await decode([[half], [fulfilled]]);
	expect({ code, sales }).toEqual({ code: 1, sales: [sale] });
	expect(notes).toEqual([
		"log 4: pays in a match, and the order that it was matched with is missing",
	]);
});

test("a log that is half of a match or a self-trade is reported as doubtful, and the exit code is 0", async () => {
	const mirror = seaportLogs.fulfilled({
		orderHash: padHex("0x3", { size: 32 }),
		offerer: buyer,
		zone: nobody,
		recipient: buyer,
		offer: [{ itemType: 2, token: nft, identifier: 1n, amount: 1n }],
		consideration: [{ itemType: 0, token: nobody, identifier: 0n, amount: 5n, recipient: buyer }],
	});
	const { code, notes, sales } = await decode([mirror]);
	expect(code).toBe(0);
	expect(sales).toMatchObject([{ accepted: false, reason: "self_trade" }]);
	expect(notes).toHaveLength(1);
	expect(notes[0]).toStartWith("log 0: trades with its own offerer");
});

test("logs without a sale print nothing, and the exit code is 0", async () => {
	const other = { ...fulfilled, topics: [padHex("0x77", { size: 32 })] };
	expect(await decode([other])).toEqual({ code: 0, notes: [], sales: [] });
});

test("a log of a venue's kind by an unknown contract is named, and the exit code is 0", async () => {
	const fork = { ...fulfilled, address: nft, logIndex: 3 };
	const { code, notes, sales } = await decode([[fork, { ...fulfilled, logIndex: 4 }]]);
	// The fork's log does not make a receipt of the file: the other sale stays as it is.
	expect({ code, sales }).toEqual({ code: 0, sales: [sale] });
	expect(notes).toEqual([
		`log 3: has a venue's topic, 0x9d9af8e3, and is of no known contract: ${nft}`,
	]);
});

test("[ING-12] Seaport 1.6 is read at each of its addresses", async () => {
	for (const address of [
		"0xdf3969a315e3fc15b89a2752d0915cc76a5bd82d",
		"0x00000000006687982678b03100b9bdc8be440814",
	]) {
		expect(await decode([{ ...fulfilled, address }])).toEqual({
			code: 0,
			notes: [],
			sales: [sale],
		});
	}
});

async function runProgram(...args: string[]) {
	const child = Bun.spawn([process.execPath, "api/cli/svc.ts", "decode", ...args], {
		cwd: ROOT,
		stdout: "pipe",
		stderr: "pipe",
	});
	const [out, err, code] = await Promise.all([
		new Response(child.stdout).text(),
		new Response(child.stderr).text(),
		child.exited,
	]);
	return { out, err, code };
}

test("`svc decode` needs no chain and no database, and its error says where the file is invalid", async () => {
	const good = join(folder, "good.json");
	await Bun.write(good, JSON.stringify([fulfilled]));
	const bad = join(folder, "bad.json");
	await Bun.write(bad, "{ not json");
	const [printed, broken, missing, none] = await Promise.all([
		runProgram(good),
		runProgram(bad),
		runProgram(join(folder, "missing.json")),
		runProgram(),
	]);
	expect(printed).toEqual({ out: `${JSON.stringify(sale)}\n`, err: "", code: 0 });
	for (const { out, code } of [broken, missing, none]) {
		expect(out).toBe("");
		expect(code).not.toBe(0);
	}
	expect(broken.err).toContain("The file is not JSON");
	expect(missing.err).toContain("missing.json cannot be read");
	expect(none.err).toContain("decode needs a file");
	for (const { err } of [broken, missing, none]) expect(err).not.toContain("    at ");
});
