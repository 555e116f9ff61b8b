import { fullGC, heapStats } from "bun:jsc";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Hex, padHex, toHex } from "viem";
import type { RawLog } from "#core/chain/Hex.ts";
import { httpRpc } from "#core/chain/rpc/httpRpc.ts";
import type { RpcCall } from "#core/chain/rpc/Rpc.ts";
import type { Fault } from "#core/fault.ts";
import {
	CONSECUTIVE_TRANSFER_TOPIC,
	type Mint,
	ZERO_TOPIC,
} from "#plugins/chain-scanner/mint/decodeMints.ts";
import { MINT_FILTERS, mintSource, priceMints } from "#plugins/chain-scanner/mint/mintSource.ts";
import { mintLog, unitsLog } from "#plugins/chain-scanner/testing/laneWorld.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { createFakeChain } from "#test/harness/fakeChain.ts";
import { fixturesOn } from "#test/harness/fixtures.ts";
import { seaportLogs } from "#test/harness/seaportOrder.ts";
import { until } from "#test/harness/until.ts";

describe("mintSource", () => {
	describe("mintSource", () => {
		const far = { signal: new AbortController().signal, unsettledFrom: Number.POSITIVE_INFINITY };
		const quiet = { undecoded() {}, noise() {}, unlisted() {} };
		const buyer = "0x00000000000000000000000000000000000b0b01";

		let anvil: Anvil;
		let chain: Awaited<ReturnType<typeof fixturesOn>>;
		let names: Record<"plain" | "other" | "editions" | "coin" | "bundler", Hex>;
		beforeAll(async () => {
			anvil = await startAnvil();
			chain = await fixturesOn(anvil);
			names = {
				plain: await chain.deploy("Plain721", ["Plain", 0n]),
				other: await chain.deploy("Plain721", ["Other", 0n]),
				editions: await chain.deploy("Plain1155"),
				coin: await chain.deploy("Plain20"),
				bundler: await chain.deploy("Bundler"),
			};
		});
		afterAll(() => anvil?.stop());

		const rpcOf = () =>
			httpRpc({
				url: anvil.url,
				timeoutMs: 5_000,
				batchMax: 50,
				concurrencyMax: 2,
				bodyBytesMax: 10_000_000,
			});

		/** What the mint lane reads in the block that the chain made last. */
		async function lastMints() {
			const head = Number(await anvil.rpc("eth_blockNumber"));
			const { events } = await mintSource(rpcOf(), quiet).read({ from: head, to: head }, far);
			return events.map(
				({ contract, standard, tokenId, quantity, totalRaw, from, to, accepted }) => {
					expect([from, to, accepted]).toEqual([`0x${"0".repeat(40)}`, to, true]);
					return [contract, standard, tokenId, quantity, totalRaw] as const;
				},
			);
		}

		test("[ING-01] [ING-07] on a real node, ERC-721 mints share their transaction's value", async () => {
			await chain.call("Plain721", names.plain, "mint", [buyer, 1n], { value: 5n });
			expect(await lastMints()).toEqual([[names.plain, "erc721", 1n, 1n, 5n]]);
			await chain.call("Plain721", names.plain, "mint", [buyer, 3n], { value: 10n });
			expect(await lastMints()).toEqual([
				[names.plain, "erc721", 2n, 1n, 4n],
				[names.plain, "erc721", 3n, 1n, 3n],
				[names.plain, "erc721", 4n, 1n, 3n],
			]);
		});

		test("[ING-01] [ING-07] on a real node, ERC-1155 mints, single and batch, share it by units", async () => {
			await chain.call("Plain1155", names.editions, "mint", [buyer, 7n, 4n], { value: 8n });
			expect(await lastMints()).toEqual([[names.editions, "erc1155", 7n, 4n, 8n]]);
			const batch = [buyer, [1n, 2n, 3n], [1n, 0n, 2n]];
			await chain.call("Plain1155", names.editions, "mintBatch", batch, { value: 9n });
			expect(await lastMints()).toEqual([
				[names.editions, "erc1155", 1n, 1n, 3n],
				[names.editions, "erc1155", 3n, 2n, 6n],
			]);
		});

		test("[ING-07] on a real node, two contracts minted in one transaction share its value", async () => {
			const both = [names.plain, 1n, names.other, 3n];
			await chain.call("Bundler", names.bundler, "mintBoth", both, { value: 400n });
			const mints = await lastMints();
			expect(mints.map(([contract, , , , total]) => [contract, total])).toEqual([
				[names.plain, 100n],
				[names.other, 100n],
				[names.other, 100n],
				[names.other, 100n],
			]);
		});

		test("[ING-07] on a real node, a free mint has the known price 0", async () => {
			await chain.call("Plain721", names.other, "mint", [buyer, 1n]);
			expect((await lastMints()).map(([, , , , total]) => total)).toEqual([0n]);
		});

		test("[ING-01] on a real node, ERC-20 mints and transfers are ignored, with and without the four-topic filter", async () => {
			await chain.call("Plain20", names.coin, "mint", [buyer, 1_000n]);
			const head = Number(await anvil.rpc("eth_blockNumber"));
			const at = { fromBlock: toHex(head), toBlock: toHex(head) };
			// geth answers nothing here; anvil 1.7.1 reads a trailing null as "any or none".
			const sent = await anvil.rpc<RawLog[]>("eth_getLogs", [{ ...at, topics: MINT_FILTERS[0] }]);
			let noise = 0;
			const counting = {
				...quiet,
				noise(_: string, count: number) {
					noise += count;
				},
			};
			const reading = await mintSource(rpcOf(), counting).read({ from: head, to: head }, far);
			reading.report();
			expect(reading.events).toEqual([]);
			expect(noise).toBe(sent.length);
			await chain.call("Plain721", names.plain, "mint", [chain.accounts[0], 1n]);
			const [[, , tokenId] = []] = await lastMints();
			await chain.call("Plain721", names.plain, "transfer", [buyer, tokenId]);
			expect(await lastMints()).toEqual([]);
		});

		test("[ING-01] a node that filters as geth does not send ERC-20 mints: the filter has four topics", async () => {
			const fake = createFakeChain();
			const { topics, ...nft } = mintLog(1);
			fake.mine([{ logs: [{ ...nft, topics: topics.slice(0, 3) }, mintLog(2)] }]);
			let noise = 0;
			const counting = {
				...quiet,
				noise(_: string, count: number) {
					noise += count;
				},
			};
			const reading = await mintSource(fake.rpc, counting).read({ from: 1, to: 1 }, far);
			reading.report();
			expect(reading.events.map(({ tokenId }) => tokenId)).toEqual([2n]);
			expect(noise).toBe(0);
		});

		const lies: [string, (call: RpcCall, answer: unknown) => unknown][] = [
			["does not know a mint's transaction", () => null],
			["sends it without a value", () => ({ value: "lots" })],
			[
				"sends another transaction",
				(_, answer) => Object.assign(answer ?? {}, { hash: `0x${"1".repeat(64)}` }),
			],
			[
				"has it in another block",
				(_, answer) => Object.assign(answer ?? {}, { blockHash: `0x${"1".repeat(64)}` }),
			],
			[
				"has it in no block any more",
				(_, answer) => Object.assign(answer ?? {}, { blockHash: null }),
			],
		];

		for (const [what, lie] of lies) {
			test(`[ING-07] a node that ${what} is asked again: no price is guessed`, async () => {
				const fake = createFakeChain();
				const block = fake.mine([{ value: 10n, logs: [mintLog(1)] }]);
				const source = mintSource(fake.rpc, quiet);
				fake.troubles.tamper = (call, answer) =>
					call.method === "eth_getTransactionByHash" ? lie(call, structuredClone(answer)) : answer;
				const range = { from: block, to: block };
				expect(source.read(range, far)).rejects.toThrow("rpc_inconsistent");
				fake.troubles.tamper = (_, answer) => answer;
				const { events } = await source.read(range, far);
				expect(events.map(({ totalRaw }) => totalRaw)).toEqual([10n]);
			});
		}

		test("[ING-14] a node with a mint's transaction still in its pool is asked again, and not distrusted", async () => {
			const fake = createFakeChain();
			const block = fake.mine([{ value: 10n, logs: [mintLog(1)] }]);
			const kindOf = async (blockHash: Hex | null) => {
				fake.troubles.tamper = (call, answer) => {
					if (call.method !== "eth_getTransactionByHash") return answer;
					return Object.assign(structuredClone(answer) ?? {}, { blockHash });
				};
				const range = { from: block, to: block };
				const error = await mintSource(fake.rpc, quiet)
					.read(range, far)
					.catch((thrown) => thrown);
				expect(error).toMatchObject({ code: "rpc_inconsistent" });
				return (error as Fault).meta["kind"];
			};
			expect(await kindOf(null)).toBeUndefined();
			expect(await kindOf(`0x${"1".repeat(64)}`)).toBe("hash_mismatch");
		});

		test("a mint that cannot be decoded is reported when its range is committed, not at each read", async () => {
			const fake = createFakeChain();
			const cut = { ...unitsLog(1n, 5n), data: "0x1234" as Hex };
			const block = fake.mine([{ logs: [cut, mintLog(2)] }]);
			const problems: string[] = [];
			const source = mintSource(fake.rpc, {
				...quiet,
				undecoded: (_, __, problem) => problems.push(problem),
			});
			const range = { from: block, to: block };
			await source.read(range, far);
			const reading = await source.read(range, far);
			expect(problems).toEqual([]);
			reading.report();
			expect(problems).toEqual(["TransferSingle is cut short"]);
			expect(reading.events.map(({ tokenId }) => tokenId)).toEqual([2n]);
		});

		test("[ING-01] [ING-07] a consecutive mint shares its transaction's value, for no query more", async () => {
			const fake = createFakeChain();
			const word = (value: number) => padHex(toHex(value), { size: 32 });
			const topics = [CONSECUTIVE_TRANSFER_TOPIC, word(1), ZERO_TOPIC, word(0xb0b)];
			const log = { address: padHex("0x721", { size: 20 }), topics, data: word(6_000) };
			const block = fake.mine([{ value: 12_000n, logs: [log] }]);
			const unlisted: bigint[] = [];
			const source = mintSource(fake.rpc, {
				...quiet,
				unlisted: (_, __, ids) => void unlisted.push(ids),
			});
			for (const unsettledFrom of [0, Number.POSITIVE_INFINITY]) {
				const { events, report } = await source.read(
					{ from: block, to: block },
					{ ...far, unsettledFrom },
				);
				expect(events).toHaveLength(5_000);
				// What has no row has its share of the price all the same.
				expect(new Set(events.map(({ totalRaw }) => totalRaw))).toEqual(new Set([2n]));
				report();
			}
			expect(unlisted).toEqual([1_000n, 1_000n]);
			expect(fake.asked()).toHaveLength(2 * MINT_FILTERS.length);
		});

		test("while a range's events are written, nothing else of the range is held in memory", async () => {
			const fake = createFakeChain();
			const logs = Array.from({ length: 2_000 }, (_, index) => mintLog(index));
			const few = fake.mine([{ value: 10n, logs: logs.slice(0, 10) }]);
			const many = fake.mine([{ value: 10n, logs }]);
			const source = mintSource(fake.rpc, quiet);
			const read = (block: number) => source.read({ from: block, to: block }, far);
			// Each log has an array of topics, and no event has any.
			const arrays = () => {
				fullGC();
				return heapStats().objectTypeCounts["Array"] ?? 0;
			};
			// What the first time compiles and caches is no range's.
			await read(few);
			const before = arrays();
			const readings = [];
			for (let time = 0; time < 5; time++) readings.push(await read(many));
			// One may still lie on the stack and count as alive; what each of them keeps is five times
			// that. A collector may need several turns on a busy machine.
			await until(() => arrays() - before < 2 * logs.length, "the logs are let go");
			for (const { report } of readings) report();
		});
	});
});

describe("priceMints", () => {
	function mintOf(transaction: number, quantity: bigint, contract: Hex = "0xaa"): Mint {
		const transactionHash = padHex(toHex(transaction), { size: 32 });
		const log = { ...seaportLogs.log({ topics: [], data: "0x" }), transactionHash };
		return { log, subIndex: 0, contract, standard: "erc1155", tokenId: 1n, quantity, to: "0xb0" };
	}

	test("[ING-07] the shares of a transaction's mints sum to its value, also if it is not divisible", () => {
		const units = fc.array(fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }), {
			minLength: 1,
			maxLength: 20,
		});
		fc.assert(
			fc.property(units, fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (quantities, value) => {
				const mints = quantities.map((quantity) => mintOf(1, quantity));
				const shares = priceMints(mints, () => value);
				expect(shares.reduce((sum, share) => sum + share, 0n)).toBe(value);
				expect(shares.every((share) => share >= 0n)).toBe(true);
				const all = quantities.reduce((sum, quantity) => sum + quantity, 0n);
				for (const [index, share] of shares.entries()) {
					if (index > 0) expect(share).toBe((value / all) * (quantities[index] ?? 0n));
				}
			}),
		);
	});

	test("[ING-07] contracts minted in one transaction share its value by unit, and no other's", () => {
		const mints = [mintOf(1, 1n), mintOf(1, 3n, "0xbb"), mintOf(2, 1n)];
		const values = new Map([
			[mints[0]?.log.transactionHash, 40n],
			[mints[2]?.log.transactionHash, 7n],
		]);
		expect(priceMints(mints, (hash) => values.get(hash) ?? 0n)).toEqual([10n, 30n, 7n]);
	});

	test("[ING-07] a free mint has price 0, not an unknown one", () => {
		expect(priceMints([mintOf(1, 5n)], () => 0n)).toEqual([0n]);
	});
});
