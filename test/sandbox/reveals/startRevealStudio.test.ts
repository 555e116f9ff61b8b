import { afterAll, beforeAll, expect, test } from "bun:test";
import { encodeFunctionData, type Hex, parseAbi } from "viem";
import { readAbiText } from "#core/chain/abi.ts";
import { until } from "#test/harness/until.ts";
import { type Lab, openLab } from "../provider/testing/openLab.ts";
import { openDocument, REVEAL_NAMES, sealedDocument } from "./revealKinds.ts";
import { type RevealStudio, startRevealStudio } from "./startRevealStudio.ts";

// Guarantee: a developer can watch a collection being revealed in each way, with servers that fail
// and sellers that are faster than the buyer.

const tokenAbi = parseAbi(["function tokenURI(uint256 id) view returns (string)"]);

let lab: Lab;
let studio: RevealStudio;
beforeAll(async () => {
	lab = await openLab(40);
	studio = startRevealStudio({ rpcUrl: lab.sandbox.httpUrl });
});
afterAll(async () => {
	await studio?.stop();
	await lab?.close();
});

async function uriOf(contract: Hex, id: bigint): Promise<string> {
	const data = encodeFunctionData({ abi: tokenAbi, functionName: "tokenURI", args: [id] });
	const answer = await lab.rpc.call("eth_call", [{ to: contract, data }, "latest"]);
	return readAbiText(answer as Hex) ?? "";
}

const documentOf = async (contract: Hex, id: bigint) =>
	(await fetch(await uriOf(contract, id))).json() as Promise<unknown>;

const ask = async (path: string, body?: unknown) => {
	const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
	const response = await fetch(`${studio.url}${path}`, init);
	return { status: response.status, body: (await response.json()) as any };
};

test.each(REVEAL_NAMES)(
	"%s: hidden at first, and each token has its own document after the reveal",
	async (kind) => {
		const opened = await ask("/_sandbox/reveals", { kind, tokens: 24, everyMs: 0 });
		expect(opened).toMatchObject({ status: 201, body: { kind, tokens: 24, isRevealed: false } });
		const contract = opened.body.contract as Hex;
		for (const id of [1n, 24n]) expect(await documentOf(contract, id)).toEqual(sealedDocument);
		const before = await uriOf(contract, 1n);
		await ask("/_sandbox/reveals/now", { contracts: [contract] });
		await until(async () => {
			const all = await Promise.all([1n, 24n].map((id) => documentOf(contract, id)));
			return all.every((document) => !Bun.deepEquals(document, sealedDocument));
		}, "the first and the last one are out");
		const ids = Array.from({ length: 24 }, (_, index) => BigInt(index + 1));
		const numbers = await Promise.all(
			ids.map(async (id) => Number((await uriOf(contract, id)).split("/").at(-1))),
		);
		expect(numbers.toSorted((a, b) => a - b)).toEqual(ids.map(Number));
		const [first = 0] = numbers;
		expect(await documentOf(contract, 1n)).toEqual(openDocument(first));
		expect((await uriOf(contract, 1n)) === before).toBe(kind === "one_by_one");
		expect(first === 1).toBe(kind !== "provenance");
	},
);

test("a fault makes the studio's servers answer the old document, a 429 or a cut body, as often as asked", async () => {
	const { contract } = await studio.open({ kind: "silent", tokens: 2 });
	await studio.reveal([contract]);
	const uri = await uriOf(contract, 1n);
	studio.fault({ kind: "old_document", path: "/open/1$", times: 1 });
	expect(await (await fetch(uri)).json()).toEqual(sealedDocument);
	expect(await (await fetch(uri)).json()).toEqual(openDocument(1));
	await ask("/_sandbox/faults", { kind: "429", retryAfter: 3, times: 1 });
	const limited = await fetch(uri);
	expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "3"]);
	studio.fault({ kind: "truncated", times: 1 });
	await expect((await fetch(uri)).json()).rejects.toThrow();
	expect((await ask("/_sandbox/faults", { kind: "nonsense" })).status).toBe(400);
	expect((await ask("/_sandbox/reveals", { kind: "nonsense" })).status).toBe(400);
});

test("a scheduled reveal happens by itself", async () => {
	const { contract } = await studio.open({ kind: "announced", tokens: 2, afterMs: 1 });
	await until(async () => (await uriOf(contract, 1n)).endsWith("/open/1"), "it is out");
	expect(studio.shows().find((show) => show.contract === contract)?.isRevealed).toBe(true);
});

test("on request a seller sells, cancels or withdraws when a buyer asks for the fulfilment", async () => {
	await studio.open({ kind: "silent", tokens: 60 });
	const bought = async () => {
		await lab.rpc.call("anvil_mine", ["0x3"]);
		await lab.emulator.sync();
		const found = [...lab.emulator.market().collections.values()]
			.filter(({ facts }) => facts.name.startsWith("Sealed silent"))
			.flatMap(({ open }) => [...open]);
		return found.find(({ kind, status }) => kind === "listing" && status === "ACTIVE");
	};
	for (const kind of ["seller_sells", "seller_cancels", "seller_withdraws"] as const) {
		let order = await bought();
		await until(async () => {
			order ??= await bought();
			return order?.currency.symbol === "ETH";
		}, "something is for sale");
		if (!order) throw new Error("nothing is for sale");
		lab.emulator.fault({ kind, path: "/listings/fulfillment_data$", times: 1 });
		const named = {
			hash: order.hash,
			chain: "anvil",
			protocol_address: "0x0000000000000068F116a894984e2DB1123eB395",
		};
		const asked = { listing: named, fulfiller: { address: `0x${"b".repeat(40)}` } };
		const answer = await lab.post("/listings/fulfillment_data", asked);
		expect(answer.status).toBe(kind === "seller_withdraws" ? 400 : 200);
		await until(async () => {
			await lab.emulator.sync();
			return order?.status !== "ACTIVE";
		}, "it is gone");
		expect(order.status).toBe(kind === "seller_sells" ? "FULFILLED" : "CANCELLED");
	}
});
