import { expect, test } from "bun:test";
import { toHex } from "viem";
import type { Address } from "#core/chain/Hex.ts";
import { rpcFault } from "#core/chain/rpc/faults.ts";
import type { Rpc, RpcCall, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import { ownershipDenial } from "#plugins/nft-buys/settle/ownershipDenial.ts";

const WALLET: Address = `0x${"1".repeat(40)}`;
const NFT: Address = `0x${"c".repeat(40)}`;
const word = (value: bigint) => toHex(value, { size: 32 });

async function ask(standard: "erc721" | "erc1155", outcomes: RpcOutcome[], quantity = 1n) {
	const calls: RpcCall[] = [];
	const settle: Rpc["settle"] = async (asked) => {
		calls.push(...asked);
		return outcomes;
	};
	const denial = await ownershipDenial({ settle } as Rpc, {
		goods: { contract: NFT, tokenId: 7n, quantity, standard },
		wallet: WALLET,
		blockNumber: 16,
		signal: new AbortController().signal,
	});
	return { code: denial?.code ?? null, blocks: calls.map(({ params }) => params[1]) };
}

const result = (value: unknown): RpcOutcome => ({ kind: "result", result: value });
const fault = (made: ReturnType<typeof rpcFault.refused>): RpcOutcome => ({
	kind: "fault",
	fault: made,
});

test("an ERC-721 is received where it belongs to the wallet in the receipt's block", async () => {
	expect(await ask("erc721", [result(word(BigInt(WALLET)))])).toEqual({
		code: null,
		blocks: ["0x10"],
	});
	for (const owner of [word(BigInt(NFT)), word(0n), "0x", null, `${word(1n)}00`]) {
		expect((await ask("erc721", [result(owner)])).code).toBe("not_received");
	}
});

test("an ERC-1155 is received where the wallet has so many more than the block before", async () => {
	const grown = (before: bigint, after: bigint) =>
		ask("erc1155", [result(word(before)), result(word(after))], 3n);
	expect(await grown(2n, 5n)).toEqual({ code: null, blocks: ["0xf", "0x10"] });
	expect((await grown(0n, 3n)).code).toBeNull();
	expect((await grown(5n, 5n)).code).toBe("not_received");
	expect((await grown(5n, 2n)).code).toBe("not_received");
	expect((await grown(2n, 4n)).code).toBe("partly_received");
});

test("a contract that reverts has not given; a node that fails has not said", async () => {
	const reverts = rpcFault.refused({ detail: "execution reverted: nonexistent token" });
	expect((await ask("erc721", [fault(reverts)])).code).toBe("not_received");
	for (const silent of [
		rpcFault.transport(),
		rpcFault.refused({ detail: "missing trie node" }),
		rpcFault.range(),
	]) {
		expect(ask("erc721", [fault(silent)])).rejects.toThrow();
		expect(ask("erc1155", [result(word(0n)), fault(silent)])).rejects.toThrow();
	}
});
