import { describe, expect, test } from "bun:test";
import { concat, encodeAbiParameters, parseAbiParameters, toEventSelector, toHex } from "viem";
import type { Address } from "#core/chain/Hex.ts";
import { type Rpc, type RpcCall, type RpcOutcome, rpcFault } from "#core/chain/rpc/Rpc.ts";
import { ownershipDenial } from "#plugins/nft-buys/kinds.ts";
import type { Receipt } from "#plugins/wallets/contract.ts";

const WALLET: Address = `0x${"1".repeat(40)}`;
const SHOP: Address = `0x${"2".repeat(40)}`;
const NFT: Address = `0x${"c".repeat(40)}`;
const word = (value: bigint) => toHex(value, { size: 32 });
const MINED = {
	transactionHash: word(1n),
	blockNumber: 16,
	blockHash: word(2n),
	succeeded: true,
} as const;

type Logs = Receipt["logs"];

async function ask(
	standard: "erc721" | "erc1155",
	outcomes: RpcOutcome[],
	quantity = 1n,
	{
		logs = [],
		latest = [],
		others = [],
	}: { logs?: Logs; latest?: RpcOutcome[]; others?: Logs[] } = {},
) {
	const calls: RpcCall[] = [];
	const hashes = [MINED.transactionHash, ...others.map((_, place) => word(BigInt(place + 9)))];
	const block = {
		hash: MINED.blockHash,
		transactions: hashes.map((hash) => ({ hash, from: WALLET, to: SHOP, value: "0x0" })),
	};
	const settle: Rpc["settle"] = async (asked) => {
		calls.push(...asked);
		if (asked.length === 3) return [...outcomes, result(block)];
		return asked[0]?.params[1] === "latest" ? latest : outcomes;
	};
	/** The receipts of our other transactions of that block. */
	const batch: Rpc["batch"] = async (asked) =>
		asked.map(({ params: [hash] }) => ({
			...{ transactionHash: hash, blockHash: MINED.blockHash, status: "0x1", gasUsed: "0x1" },
			logs: others[hashes.indexOf(hash as `0x${string}`) - 1] ?? [],
		}));
	const denial = await ownershipDenial({ settle, batch } as Rpc, {
		goods: {
			...{ contract: NFT, tokenId: 7n, quantity, standard },
			...{ marketplace: SHOP, orderHash: `0x${"7".repeat(64)}`, pays: { currency: SHOP } },
		},
		wallet: WALLET,
		receipt: { ...MINED, logs },
		signal: new AbortController().signal,
	});
	return { code: denial?.code ?? null, blocks: calls.map(({ params }) => params[1]) };
}

const result = (value: unknown): RpcOutcome => ({ kind: "result", result: value });
const fault = (made: ReturnType<typeof rpcFault.refused>): RpcOutcome => ({
	kind: "fault",
	fault: made,
});

test("an ERC-721 counts as received if the wallet owns it in the receipt's block", async () => {
	expect(await ask("erc721", [result(word(BigInt(WALLET)))])).toEqual({
		code: null,
		blocks: ["0x10"],
	});
	for (const owner of [word(BigInt(NFT)), word(0n), "0x"]) {
		expect((await ask("erc721", [result(owner)])).code).toBe("not_received");
	}
});

const units = (from: Address, to: Address, value: bigint, { id = 7n, contract = NFT } = {}) => ({
	address: contract,
	topics: [
		toEventSelector("TransferSingle(address,address,address,uint256,uint256)"),
		...[word(1n), word(BigInt(from)), word(BigInt(to))],
	],
	data: concat([word(id), word(value)]),
});

test("of an ERC-1155 the lower of its logs and of the balance's growth counts as received", async () => {
	const grown = async (before: bigint, after: bigint, told: bigint) => {
		const logs = told === 0n ? [] : [units(SHOP, WALLET, told)];
		return ask("erc1155", [result(word(before)), result(word(after))], 3n, { logs });
	};
	expect(await grown(2n, 5n, 3n)).toEqual({ code: null, blocks: ["0xf", "0x10", true] });
	expect((await grown(0n, 3n, 3n)).code).toBeNull();
	expect((await grown(5n, 5n, 0n)).code).toBe("not_received");
	expect((await grown(2n, 4n, 2n)).code).toBe("partly_received");
	// A contract logs more than it moves, or moves without a log.
	expect((await grown(5n, 5n, 3n)).code).toBe("arrival_doubtful");
	expect((await grown(2n, 5n, 0n)).code).toBe("arrival_doubtful");
});

test("units that our other transactions of the block brought are not counted", async () => {
	const grown = (logs: Logs, others: Logs[]) =>
		ask("erc1155", [result(word(0n)), result(word(4n))], 2n, { logs, others });
	const one = [units(SHOP, WALLET, 1n)];
	// Three buys brought four units; this one wanted two, and got one.
	const others = [[units(SHOP, WALLET, 2n)], one];
	expect((await grown(one, others)).code).toBe("partly_received");
	expect((await grown([units(SHOP, WALLET, 2n)], [one, one])).code).toBeNull();
	expect((await grown([units(SHOP, WALLET, 2n)], [[units(SHOP, WALLET, 4n)]])).code).toBe(
		"arrival_doubtful",
	);
});

test("an answer that is not one 32-byte word settles nothing", async () => {
	for (const nonsense of [null, undefined, 7, "", "0x01", "0xzz", `${word(1n)}00`]) {
		const asked = ask("erc721", [result(nonsense)]);
		await expect(asked).rejects.toMatchObject({ code: "ownership_unknown" });
		for (const words of [
			[nonsense, word(9n)],
			[word(0n), nonsense],
		]) {
			const counted = ask("erc1155", words.map(result), 1n, { logs: [units(SHOP, WALLET, 1n)] });
			if (nonsense !== "0x01") await expect(counted).rejects.toThrow();
		}
	}
});

test("ownerOf that reverts means not received; a node that fails leaves the buy undecided", async () => {
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

describe("a node without the state of the receipt's block", () => {
	const refused = fault(rpcFault.refused({ detail: "missing trie node" }));
	const transfer = (to: Address, { id = 7n, from = SHOP, contract = NFT } = {}) => ({
		address: contract,
		topics: [
			toEventSelector("Transfer(address,address,uint256)"),
			...[word(BigInt(from)), word(BigInt(to)), word(id)],
		],
		data: "0x" as const,
	});
	test("an ERC-721 is settled by the token's own logs in that transaction", async () => {
		const told = (...logs: Logs) => ask("erc721", [refused], 1n, { logs });
		expect((await told(transfer(WALLET))).code).toBeNull();
		expect((await told(transfer(WALLET), transfer(SHOP))).code).toBe("not_received");
		expect((await told(transfer(SHOP), transfer(WALLET))).code).toBeNull();
	});

	test("logs of another token, id or standard are ignored", async () => {
		for (const log of [
			transfer(WALLET, { id: 8n }),
			transfer(WALLET, { contract: SHOP }),
			{ ...transfer(WALLET), topics: transfer(WALLET).topics.slice(0, 3) },
			{ ...transfer(WALLET), topics: [] },
			units(SHOP, WALLET, 1n),
		]) {
			const asked = ask("erc721", [refused], 1n, { logs: [log], latest: [refused] });
			await expect(asked).rejects.toMatchObject({ code: "ownership_unknown" });
		}
	});

	test("without logs a current owner counts as the receiver; another owner proves nothing", async () => {
		const latest = (owner: Address) => ({ latest: [result(word(BigInt(owner)))] });
		expect((await ask("erc721", [refused], 1n, latest(WALLET))).code).toBeNull();
		const gone = ask("erc721", [refused], 1n, latest(SHOP));
		await expect(gone).rejects.toMatchObject({ code: "ownership_unknown" });
	});

	test("an ERC-1155 is settled by its logs: received units minus units that left again", async () => {
		const told = (...logs: Logs) => ask("erc1155", [refused, refused], 3n, { logs });
		expect((await told(units(SHOP, WALLET, 3n))).code).toBeNull();
		expect((await told(units(SHOP, WALLET, 1n), units(SHOP, WALLET, 2n))).code).toBeNull();
		expect((await told(units(SHOP, WALLET, 2n))).code).toBe("partly_received");
		expect((await told(units(SHOP, WALLET, 3n), units(WALLET, SHOP, 3n))).code).toBe(
			"not_received",
		);
		expect((await told(units(WALLET, WALLET, 3n))).code).toBe("not_received");
		const half = ask("erc1155", [refused, result(word(9n))], 3n, {
			logs: [units(SHOP, WALLET, 3n)],
		});
		expect((await half).code).toBeNull();
	});

	test("an ERC-1155 without logs is not settled by the wallet's current balance", async () => {
		for (const logs of [[], [units(SHOP, WALLET, 3n, { id: 8n })], [transfer(WALLET)]]) {
			const asked = ask("erc1155", [refused, result(word(9n))], 3n, { logs });
			await expect(asked).rejects.toMatchObject({ code: "ownership_unknown" });
		}
	});

	test("each id and value of a TransferBatch log counts as received", async () => {
		const batch = {
			address: NFT,
			topics: [
				toEventSelector("TransferBatch(address,address,address,uint256[],uint256[])"),
				...[word(1n), word(BigInt(SHOP)), word(BigInt(WALLET))],
			],
			data: encodeAbiParameters(parseAbiParameters("uint256[], uint256[]"), [
				[6n, 7n, 7n],
				[50n, 1n, 2n],
			]),
		};
		const told = await ask("erc1155", [refused, refused], 3n, { logs: [batch] });
		expect(told.code).toBeNull();
		const more = await ask("erc1155", [refused, refused], 4n, { logs: [batch] });
		expect(more.code).toBe("partly_received");
	});
});
