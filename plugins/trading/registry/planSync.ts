// Decides what becomes of each token after a reading of the list and the chain.

import { readAbiUint } from "#core/chain/abi.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { nextState } from "#core/states.ts";
import { feedAnswers } from "#plugins/prices/contract.ts";
import { ASSETS_MAX, LEAVING_PART_MAX, SYMBOL_LENGTH_MAX } from "#plugins/trading/limits.ts";
import type { TokenCheck, TokenFacts, Transferred } from "#plugins/trading/registry/checkTokens.ts";
import {
	isTicker,
	SETTLEMENT_SYMBOLS,
	skeletonOf,
} from "#plugins/trading/registry/createAssets.ts";
import {
	type AssetEvent,
	type AssetRow,
	type AssetStatus,
	firstStatus,
	nextStatus,
	type TokenKind,
} from "#plugins/trading/sql/assets.ts";

/** A token that the issuer lists or the configuration names, with its expected properties. */
export type Candidate = {
	address: Address;
	kind: TokenKind;
	uid: string | null;
	/** Null: its contract's answer is taken. */
	symbol: string | null;
	name: string | null;
	decimals: number | null;
	isActive: boolean;
};

type SyncInput = {
	chainId: number;
	rows: readonly AssetRow[];
	candidates: readonly Candidate[];
	/** Ids on the issuer's list whose rows could not be parsed. */
	unreadable: ReadonlySet<string>;
	/** False: the issuer's list was not read, so no token counts as delisted. */
	hasList: boolean;
	check: TokenCheck;
	/** Results of the transfer probe; tokens that could not be tried are left out. */
	transfers: ReadonlyMap<Address, Transferred>;
	/** Feeds without an answer that can be a price. */
	unreadableFeeds: ReadonlySet<Address>;
	/** Feeds of the configuration, by token. */
	feeds: ReadonlyMap<Address, Address>;
	now: Date;
};

type SyncPlan =
	| { kind: "write"; rows: AssetRow[]; changes: StatusChange[] }
	/** Too many tokens are missing, so the list is not trusted. */
	| { kind: "doubtful"; leaving: number; listed: number };

type StatusChange = {
	symbol: string;
	address: Address;
	from: AssetStatus | null;
	to: AssetStatus;
};

/** An answer with more decimals is not a price. */
export const FEED_DECIMALS_MAX = 36;

const CALLS_PER_FEED = 2;

/** The only flaw that does not reject a token. */
export const FEED_FLAW = "feed_unreadable";

/**
 * Decides what the registry is after a reading of the list and the chain: the rows to write, or
 * that the list is doubtful. Pure.
 *
 * A token without facts stays as it is. Rows that left the list are marked and kept; where more
 * than a fifth of the list is missing at once, nothing changes.
 */
export function planSync(input: SyncInput): SyncPlan {
	const { rows, candidates, hasList, unreadable, now } = input;
	const given = new Map(candidates.map((candidate) => [candidate.address, candidate]));
	const listed = rows.filter(({ isListed, kind }) => isListed && kind === "stock");
	const gone = hasList
		? listed.filter(({ address, uid }) => !given.has(address) && !unreadable.has(uid ?? ""))
		: [];
	if (gone.length > 1 && gone.length * LEAVING_PART_MAX > listed.length) {
		return { kind: "doubtful", leaving: gone.length, listed: listed.length };
	}
	const known = new Map(rows.map((row) => [row.address, row]));
	const left = [
		...gone.map((row) => leave(row, now)),
		...rows.filter((row) => isDropped(row, given)).map((row) => drop(row, now)),
	];
	const judged = candidates.flatMap((candidate) => {
		const facts = input.check.facts.get(candidate.address);
		const row = known.get(candidate.address) ?? null;
		if (!facts || (row === null && rows.length >= ASSETS_MAX)) return [];
		return [judge(candidate, facts, { row, input })];
	});
	const next = [...left, ...refuseLookalikes(rows, judged, left)];
	const changes = next.flatMap((row) => {
		const from = known.get(row.address)?.status ?? null;
		if (from === row.status) return [];
		return [{ symbol: row.symbol, address: row.address, from, to: row.status }];
	});
	return { kind: "write", rows: next, changes };
}

/**
 * Reads price feeds and returns those whose newest answer cannot be a price. A feed that a node did
 * not answer for is not included. Throws where no node answers.
 */
export async function checkFeeds(
	rpc: Rpc,
	{ feeds, nowMs, signal }: { feeds: Iterable<Address>; nowMs: number; signal: AbortSignal },
): Promise<Set<Address>> {
	const asked = [...new Set(feeds)];
	const calls = asked.flatMap((feed) => [
		feedAnswers.latestRound(feed),
		feedAnswers.decimals(feed),
	]);
	const outcomes = calls.length === 0 ? [] : await rpc.settle(calls, { signal });
	const unreadable = asked.filter((_, index) => {
		const [round, decimals] = outcomes
			.slice(index * CALLS_PER_FEED, (index + 1) * CALLS_PER_FEED)
			.map((outcome) => {
				if (outcome.kind === "result") return { answer: outcome.result };
				return outcome.fault.code === "rpc_refused" ? { answer: null } : null;
			});
		if (!round || !decimals) return false;
		const places = readAbiUint(decimals.answer);
		const isFeed = feedAnswers.parseRound(round.answer, nowMs).kind === "round";
		return !isFeed || places === null || places > BigInt(FEED_DECIMALS_MAX);
	});
	return new Set(unreadable);
}

function leave(row: AssetRow, now: Date): AssetRow {
	const status = movedBy(row, "gone");
	return { ...row, status, isListed: false, unlistedAt: now, changedAt: now };
}

/**
 * Returns the next status by the sync's events. Tokens that an operator decides about (refused, or
 * back on the list) keep theirs.
 */
function movedBy(row: AssetRow, event: AssetEvent): AssetStatus {
	if (row.heldBy !== null || row.unlistedAt !== null) return row.status;
	return nextState(nextStatus, row.status, event) ?? row.status;
}

/** Returns true for a token that the configuration no longer names. */
function isDropped({ kind, isListed, address }: AssetRow, given: ReadonlyMap<Address, Candidate>) {
	return kind !== "stock" && isListed && !given.has(address);
}

function drop(row: AssetRow, now: Date): AssetRow {
	const flaws = ["not_configured"];
	return { ...row, status: "rejected", flaws, isListed: false, changedAt: now };
}

function judge(
	candidate: Candidate,
	facts: TokenFacts,
	{ row, input }: { row: AssetRow | null; input: SyncInput },
): AssetRow {
	const { chainId, now, check, feeds } = input;
	const given = candidate.symbol ?? facts.symbol ?? "";
	const transferred = facts.isPaused ? undefined : input.transfers.get(candidate.address);
	const flaws = [...flawsOf(candidate, facts, given), ...transferFlaws(transferred)];
	const symbol = isTicker(given) ? given : spelled(given);
	const event = flaws.length > 0 ? "flawed" : isPaused(candidate, facts) ? "paused" : "sound";
	const status = row === null ? firstStatus[event] : movedBy(row, event);
	const feed = row?.feedSetBy ? row.feed : (feeds.get(candidate.address) ?? null);
	// A token needs no feed, so a broken one is no reason to reject it.
	if (feed !== null && input.unreadableFeeds.has(feed)) flaws.push(FEED_FLAW);
	const multiplier = typeof facts.multiplier === "bigint" ? facts.multiplier : null;
	const isSame = row?.status === status && row.isListed;
	return {
		...{ chainId, address: candidate.address, kind: candidate.kind, uid: candidate.uid },
		...{ symbol, skeleton: skeletonOf(symbol), name: candidate.name ?? symbol },
		...{ decimals: facts.decimals ?? candidate.decimals ?? 0, status, flaws, isListed: true },
		...{ heldBy: row?.heldBy ?? null, feedSetBy: row?.feedSetBy ?? null },
		...{ feed, multiplier, pendingMultiplier: facts.pending?.multiplier ?? null },
		pendingAt: facts.pending ? new Date(facts.pending.atMs) : null,
		...{ checkedBlock: check.block, checkedAt: now, firstSeenAt: row?.firstSeenAt ?? now },
		...{ changedAt: isSame ? row.changedAt : now, unlistedAt: row?.unlistedAt ?? null },
	};
}

function flawsOf(candidate: Candidate, facts: TokenFacts, symbol: string): string[] {
	const isStock = candidate.kind === "stock";
	const reserved = SETTLEMENT_SYMBOLS.map(skeletonOf);
	const found: Record<string, boolean> = {
		no_code: !facts.hasCode,
		symbol_differs: candidate.symbol !== null && facts.symbol !== candidate.symbol,
		symbol_invalid: !isTicker(symbol),
		symbol_reserved: isStock && isTicker(symbol) && reserved.includes(skeletonOf(symbol)),
		decimals_wrong:
			facts.decimals === null ||
			(candidate.decimals !== null && facts.decimals !== candidate.decimals),
		multiplier_invalid: facts.multiplier === "invalid",
	};
	return Object.entries(found).flatMap(([flaw, isFound]) => (isFound ? [flaw] : []));
}

/** Returns the flaws of a transfer. That a paused token does not move is no flaw. */
function transferFlaws(transferred: Transferred | undefined): string[] {
	if (transferred === "fee") return ["transfer_fee"];
	return transferred === "refused" ? ["transfer_refused"] : [];
}

/** Escapes letters outside ASCII in a rejected ticker, so that an operator sees each of them. */
function spelled(text: string): string {
	return Array.from(text.slice(0, SYMBOL_LENGTH_MAX), (letter) => {
		const isPlain = /^[\x21-\x7e]$/.test(letter);
		return isPlain ? letter : `\\u{${letter.codePointAt(0)?.toString(16)}}`;
	}).join("");
}

function isPaused({ isActive }: Candidate, facts: TokenFacts): boolean {
	return !isActive || facts.isPaused;
}

/**
 * Rejects tokens that look like an existing one (UTS 39). The holder of a ticker keeps it, also
 * while it is paused or off the list; of several new ones that look alike none gets it. A ticker
 * that is given up is free from the next run on.
 */
function refuseLookalikes(
	rows: readonly AssetRow[],
	judged: readonly AssetRow[],
	left: readonly AssetRow[],
): AssetRow[] {
	const before = new Map(rows.map((row) => [row.address, row]));
	const holders = Map.groupBy(
		[...rows, ...judged, ...left].filter(({ status }) => status !== "rejected"),
		({ skeleton }) => skeleton,
	);
	return judged.map((row) => {
		if (row.status === "rejected") return row;
		const was = before.get(row.address);
		const hadIt = was !== undefined && was.status !== "rejected" && was.skeleton === row.skeleton;
		const rivals = holders.get(row.skeleton) ?? [];
		if (hadIt || rivals.every(({ address }) => address === row.address)) return row;
		return { ...row, status: "rejected", flaws: [...row.flaws, "symbol_confusable"] };
	});
}
