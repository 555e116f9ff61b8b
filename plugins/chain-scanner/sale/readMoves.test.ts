import { expect, test } from "bun:test";
import type { Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { TRANSFER_TOPIC } from "#plugins/chain-scanner/mint/mintTopics.ts";
import { readMoves } from "#plugins/chain-scanner/sale/readMoves.ts";

const word = (value: number): Hex => `0x${value.toString(16).padStart(64, "0")}`;
const account = (value: number): Hex => `0x${value.toString(16).padStart(40, "0")}`;
const [hash, blockHash] = [word(1), word(2)];
const contract = account(0xabc);
const log = (topics: Hex[]) => ({ address: contract, topics, data: "0x" });
const never = new AbortController().signal;

const read = (receipt: unknown) => {
	const rpc: Pick<Rpc, "batch"> = { batch: async () => [receipt] };
	return readMoves(rpc as Rpc, [{ hash, blockHash }], never);
};

test("what moved is read from the receipt; an ERC-20's Transfer moves no NFT", async () => {
	const nft = log([TRANSFER_TOPIC, word(10), word(11), word(7)]);
	const coin = log([TRANSFER_TOPIC, word(10), word(11)]);
	const moves = await read({ blockHash, logs: [coin, nft] });
	const parties = { from: account(10), to: account(11) };
	expect(moves.get(hash)).toEqual([
		{ contract, standard: "erc721", tokenId: 7n, quantity: 1n, ...parties },
	]);
});

test("a receipt that is missing, of another block or malformed is asked for again", async () => {
	for (const receipt of [null, { blockHash: word(3), logs: [] }, { blockHash, logs: [{}] }]) {
		await expect(read(receipt)).rejects.toThrow("rpc_inconsistent");
	}
});
