import { expect, test } from "bun:test";
import { encodeAbiParameters, toFunctionSelector } from "viem";
import type { Rpc, RpcCall } from "#core/chain/rpc/Rpc.ts";
import { contractOf } from "#plugins/market-index/testing/marketFixture.ts";
import { readTokenUris } from "#plugins/market-index/tokens/readTokenUris.ts";

/** A node whose contract answers a text made of the call's data. */
function nodeOf(answer: (data: string) => string | null) {
	const calls: RpcCall[] = [];
	const rpc: Pick<Rpc, "settle"> = {
		async settle(given) {
			calls.push(...given);
			return given.map(({ params }) => {
				const [{ data }] = params as [{ data: string }];
				const text = answer(data);
				const result = text === null ? "0x" : encodeAbiParameters([{ type: "string" }], [text]);
				return { kind: "result", result };
			});
		},
	};
	return { rpc: rpc as Rpc, calls };
}

const address = contractOf(7);
const signal = new AbortController().signal;

test("each standard is asked by its own function, with the id as one word", async () => {
	for (const [standard, signature] of [
		["erc721", "tokenURI(uint256)"],
		["erc1155", "uri(uint256)"],
	] as const) {
		const { rpc } = nodeOf((data) => data);
		const [uri] = await readTokenUris(rpc, { address, standard }, [2n ** 256n - 1n], signal);
		expect(uri).toBe(`${toFunctionSelector(signature)}${"f".repeat(64)}`);
	}
});

test("every {id} is filled in with 64 lower-case hex digits, and nothing else is changed", async () => {
	const { rpc } = nodeOf(() => " https://x.test/{id}/{id}?a={ID} ");
	const word = "ab".padStart(64, "0");
	expect(await readTokenUris(rpc, { address, standard: "erc1155" }, [0xabn], signal)).toEqual([
		`https://x.test/${word}/${word}?a={ID}`,
	]);
});

test("no answer and an empty one are no URI, and the others keep their places", async () => {
	const { rpc } = nodeOf((data) => (data.endsWith("1") ? null : data.endsWith("2") ? " " : "x"));
	expect(await readTokenUris(rpc, { address, standard: "erc721" }, [1n, 2n, 3n], signal)).toEqual([
		null,
		null,
		"x",
	]);
});
