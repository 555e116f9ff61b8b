// Answers calls to price feeds like a node, for tests.

import { z } from "zod";
import type { Address } from "#core/chain/Hex.ts";
import { type Rpc, type RpcCall, type RpcOutcome, rpcFault } from "#core/chain/rpc/Rpc.ts";
import type { Round } from "#plugins/prices/round.ts";

const PHASE_BITS = 64n;
const NUMBER_MASK = (1n << PHASE_BITS) - 1n;
const params = z.tuple([z.object({ to: z.string(), data: z.string() }), z.literal("latest")]);

export type NodeFeed = {
	/** By id; a missing one reverts. */
	rounds: Map<bigint, Round>;
	newest: bigint;
	decimals: number;
};

/** A node with aggregators that misbehaves as it is told. */
export type FeedNode = ReturnType<typeof createFeedNode>;

export function createFeedNode() {
	const feeds = new Map<string, NodeFeed>();
	const tokens = new Map<string, number>();
	const asked: RpcCall[] = [];
	const faults = { isDown: false, refusesNext: 0, answers: new Map<string, string>() };

	function answer({ params: given }: RpcCall): string | null {
		const [{ to, data }] = params.parse(given);
		const forced = faults.answers.get(`${to}:${data.slice(0, 10)}`);
		if (forced !== undefined) return forced;
		const selector = data.slice(0, 10);
		const argument = BigInt(`0x${data.slice(10) || "0"}`);
		const feed = feeds.get(to);
		if (selector === "0x313ce567") {
			const places = feed?.decimals ?? tokens.get(to);
			return places === undefined ? null : word(BigInt(places));
		}
		if (selector === "0x668a0f02") return phaseEnd(to);
		if (!feed) return "0x";
		if (selector === "0xfeaf968c") return roundWords(feed.rounds.get(feed.newest));
		if (selector === "0x9a6fc8f5") return roundWords(feed.rounds.get(argument));
		if (selector === "0xc1597304") return word(((BigInt(to) << 8n) & ~(-1n << 160n)) | argument);
		return null;
	}

	/** Aggregators of phases have the proxy's address, shifted by the phase. */
	function phaseEnd(aggregator: string): string | null {
		const phase = BigInt(aggregator) & 0xffn;
		for (const [address, { rounds }] of feeds) {
			if (((BigInt(address) << 8n) & ~(-1n << 160n)) !== BigInt(aggregator) - phase) continue;
			const ids = [...rounds.keys()].filter((id) => id >> PHASE_BITS === phase);
			if (ids.length === 0) return null;
			return word(ids.reduce((a, b) => (a > b ? a : b)) & NUMBER_MASK);
		}
		return null;
	}

	const settle: Rpc["settle"] = async (calls) => {
		if (faults.isDown) throw rpcFault.transport({ detail: "down" });
		asked.push(...calls);
		return calls.map((call): RpcOutcome => {
			const result = faults.refusesNext-- > 0 ? null : answer(call);
			if (result !== null) return { kind: "result", result };
			return { kind: "fault", fault: rpcFault.refused({ detail: "execution reverted" }) };
		});
	};
	const rpc: Rpc = {
		settle,
		call: () => Promise.reject(new Error("feeds are asked together")),
		batch: () => Promise.reject(new Error("feeds are asked together")),
		distrust() {},
		stats: () => ({ requests: 0, calls: asked.length, bytes: 0 }),
	};
	return {
		rpc,
		asked,
		faults,
		tokens,
		/** Adds rounds; the last one given is the newest. */
		publish(address: Address, rounds: readonly Round[], decimals = 8) {
			const feed = feeds.get(address) ?? { rounds: new Map(), newest: 0n, decimals };
			feeds.set(address, feed);
			for (const round of rounds) {
				feed.rounds.set(round.id, round);
				feed.newest = round.id;
			}
		},
	};
}

export function roundWords(round: Round | undefined): string | null {
	if (!round) return null;
	const at = BigInt(Math.floor(round.updatedAtMs / 1_000));
	const words = [round.id, BigInt.asUintN(256, round.answer), at, at, round.id];
	return `0x${words.map((value) => word(value).slice(2)).join("")}`;
}

function word(value: bigint): string {
	return `0x${value.toString(16).padStart(64, "0")}`;
}
