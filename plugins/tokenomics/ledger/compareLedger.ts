// Compares the ledger with the chain, and reads the currencies that are shown.

import { type Abi, decodeFunctionResult, encodeFunctionData } from "viem";
import { readAbiText, readAbiUint } from "#core/chain/abi.ts";
import type { Chain } from "#core/chain/Chain.ts";
import { type Address, type Hex, hexQuantity, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { parseHead } from "#core/chain/heads/Head.ts";
import { hexData } from "#core/chain/reads/readBlocks.ts";
import type { Rpc, RpcCall, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock.ts";
import type { Database, Queryable } from "#core/db/Database.ts";
import { assert } from "#core/fault.ts";
import { cleanLine } from "#core/outside.ts";
import { revenueRouterAbi } from "#plugins/tokenomics/contracts/abi.ts";
import {
	COMPARED_CURRENCIES,
	COMPARED_HOLDERS,
	SHOWN_CURRENCIES,
	VIEW_GAS,
} from "#plugins/tokenomics/limits.ts";
import { type TokenContracts, tokenViews } from "#plugins/tokenomics/manifest/checkContracts.ts";
import { entries } from "#plugins/tokenomics/sql/entries.ts";
import { currencies, type Followed, type KnownCurrency } from "#plugins/tokenomics/sql/followed.ts";
import { type Holder, holders } from "#plugins/tokenomics/sql/holders.ts";
import {
	NO_SOURCE,
	type OfContract,
	type Total,
	totalKey,
	totals,
} from "#plugins/tokenomics/sql/totals.ts";

/** A view of a contract, and what the ledger says that it answers. */
export type Expectation = {
	/** In a few words, for the log and for operators. */
	what: string;
	to: Address;
	abi: Abi;
	functionName: string;
	args: readonly unknown[];
	expected: string;
};

type LearnDeps = { db: Database; clock: Clock; rpc: Rpc; chain: Chain };

const BUCKETS = [0, 1, 2, 3] as const;
/** Sources whose split is compared, beside the default. */
const SOURCES_MAX = 20;
/** Currencies that a burner was ever paid with: only its keeper adds one. */
const PAID_WITH_MAX = 1_000;

const SYMBOL_LENGTH_MAX = 16;
const DECIMALS_MAX = 36n;
const VIEWS = ["symbol", "decimals"] as const;

/**
 * Returns what the ledger has of a contract that the chain can confirm: of a router the earnings
 * and debts of each bucket, splits and payees; of the token its supply and some balances. Must be
 * read under the lock of the contract's row: it holds at the block that it was read to.
 */
export function expectationsOf(
	db: Queryable,
	contract: Followed,
	{ sample, named }: { sample: Address; named: readonly Address[] },
): Promise<Expectation[]> {
	switch (contract.role) {
		case "router":
			return ofRouter(db, contract, named);
		case "token":
			return ofToken(db, contract, sample);
		default:
			// A burner has no views of what it burned: `burnsDiffer` holds it against the token.
			return Promise.resolve([]);
	}
}

/** Asks the chain at the ledger's block: the same, another block, or a difference in words. */
export async function askChain(
	rpc: Rpc,
	asked: {
		expectations: readonly Expectation[];
		block: number;
		hash: Hex;
		signal: AbortSignal;
	},
): Promise<{ kind: "same" } | { kind: "forked" } | { kind: "differs"; what: string }> {
	const { expectations, block, hash, signal } = asked;
	const at = hexQuantity(block);
	const header: RpcCall = { method: "eth_getBlockByNumber", params: [at, false] };
	const views = expectations.map(({ to, abi, functionName, args }): RpcCall => {
		const data = encodeFunctionData({ abi, functionName, args });
		return { method: "eth_call", params: [{ to, data, gas: VIEW_GAS }, at] };
	});
	const quorum = {
		digest: (result: unknown, index: number) =>
			index === 0 ? (parseHead(result)?.hash ?? "none") : String(result),
	};
	const isReadable = (result: unknown, index: number) =>
		index === 0 || hexData.safeParse(result).success;
	const options = { signal, minBlock: block, quorum, isReadable };
	const [head, ...answers] = await rpc.batch([header, ...views], options);
	if (parseHead(head)?.hash !== hash) return { kind: "forked" };
	const differences = expectations.flatMap((expectation, index) => {
		const told = readAnswer(expectation, answers[index]);
		if (told === expectation.expected) return [];
		return [`${expectation.what} is ${told} on chain and ${expectation.expected} here`];
	});
	const [first] = differences;
	if (first === undefined) return { kind: "same" };
	const more = differences.length > 1 ? `, and ${differences.length - 1} more` : "";
	return { kind: "differs", what: `${first}${more}` };
}

/**
 * Returns the difference between the burner's events and its own transfers to the zero address;
 * null where they agree. Two contracts report the same on chain: if a node leaves one out, the
 * other shows it. Burners that were replaced do not count: they are not read any more.
 */
export async function burnsDiffer(
	db: Queryable,
	{ chainId, token, burner }: { chainId: number; token: Address; burner: Address },
): Promise<string | null> {
	const key = totalKey("burner_burned", { currency: burner });
	const [moved] = await totals.ofKeys(db, { chainId, contract: token }, [key]);
	const asked = { kind: "buyback_burned", limit: PAID_WITH_MAX } as const;
	const rows = await totals.oldest(db, { chainId, contract: burner }, asked);
	const told = rows.reduce((sum, { burned }) => sum + burned, 0n);
	const is = moved?.amount ?? 0n;
	return is === told ? null : `the burner burned ${is} by transfers and ${told} by its events`;
}

/**
 * Learns what the token and the currencies of revenue are called, of those that are shown and not
 * known yet. What a contract says of itself is anybody's text: it is cleaned before it is kept.
 */
export async function learnCurrencies(
	{ db, clock, rpc, chain }: LearnDeps,
	{ token, router }: TokenContracts,
	{ named, signal }: { named: readonly Address[]; signal: AbortSignal },
): Promise<void> {
	const of = router === null ? null : { chainId: chain.id, contract: router };
	const revenue = of ? await shownRevenue(db, of, { named, limit: SHOWN_CURRENCIES }) : [];
	const wanted = [...new Set([token, ...revenue.map(({ currency }) => currency)])];
	const known = await currencies.among(db, chain.id, wanted);
	const names = new Set(known.map(({ address }) => address));
	const fresh = wanted.filter((address) => !names.has(address));
	if (fresh.length === 0) return;
	const asked = fresh.filter((address) => address !== ZERO_ADDRESS);
	const calls = asked.flatMap((to) =>
		VIEWS.map((functionName) => {
			const data = encodeFunctionData({ abi: tokenViews, functionName });
			return { method: "eth_call", params: [{ to, data, gas: VIEW_GAS }, "latest"] };
		}),
	);
	const outcomes = calls.length === 0 ? [] : await rpc.settle(calls, { signal });
	const at = new Date(clock.nowMs());
	for (const address of fresh) {
		const place = asked.indexOf(address) * VIEWS.length;
		const told = outcomes.slice(place, place + VIEWS.length);
		const read = address === ZERO_ADDRESS ? coinOf(chain) : currencyOf(address, told);
		if (read) await currencies.write(db, chain.id, read, at);
	}
}

/**
 * Reads the revenue of a router by currency, so many at most: the chain's coin and the currencies
 * that buybacks are made with, then those that came first. Anybody can pay in tokens of their own,
 * also before others do, and must not push out what counts.
 */
export async function shownRevenue(
	db: Queryable,
	of: OfContract,
	{ named, limit }: { named: readonly Address[]; limit: number },
): Promise<Total[]> {
	const first = [...new Set([ZERO_ADDRESS, ...named])];
	const keys = first.map((currency) => totalKey("revenue", { currency }));
	const [counting, oldest] = await Promise.all([
		totals.ofKeys(db, of, keys),
		totals.oldest(db, of, { kind: "revenue", limit: limit + first.length }),
	]);
	const place = ({ currency }: Total) => first.indexOf(currency);
	counting.sort((one, other) => place(one) - place(other));
	const others = oldest.filter(({ currency }) => !first.includes(currency));
	return [...counting, ...others].slice(0, limit);
}

async function ofRouter(
	db: Queryable,
	{ chainId, address: to }: Followed,
	named: readonly Address[],
): Promise<Expectation[]> {
	const of = { chainId, contract: to };
	const view = (functionName: string, args: readonly unknown[], expected: string) => {
		const what = `${functionName}(${args.join()})`;
		return { what, to, abi: revenueRouterAbi, functionName, args, expected };
	};
	const rows = await shownRevenue(db, of, { named, limit: COMPARED_CURRENCIES });
	// These are asked for also where nothing of them was seen: a node may have left all of it out.
	const asked = [...new Set([ZERO_ADDRESS, ...named, ...rows.map(({ currency }) => currency)])];
	const keys = asked.flatMap((currency) =>
		BUCKETS.flatMap((bucket) => [
			totalKey("earned", { currency, bucket }),
			totalKey("share_paid", { currency, bucket }),
		]),
	);
	const found = await totals.ofKeys(db, of, keys);
	const amount = (kind: string, currency: Address, bucket: number) =>
		found.find((row) => row.kind === kind && row.currency === currency && row.bucket === bucket)
			?.amount ?? 0n;
	const money = asked.flatMap((currency) =>
		BUCKETS.flatMap((bucket) => {
			const earned = amount("earned", currency, bucket);
			const owed = earned - amount("share_paid", currency, bucket);
			return [
				view("earned", [bucket, currency], String(earned)),
				view("owed", [bucket, currency], String(owed)),
			];
		}),
	);
	const splits = await entries.splits(db, chainId, to);
	const compared = splits
		.filter(({ source }) => source === NO_SOURCE)
		.concat(splits.filter(({ source }) => source !== NO_SOURCE).slice(0, SOURCES_MAX));
	const payees = await entries.payees(db, chainId, to);
	return [
		...money,
		...compared.map(({ source, bps }) => view("splitOf", [source], bps.join())),
		...payees.map(({ bucket, party }) => view("payeeOf", [bucket], party)),
	];
}

async function ofToken(
	db: Queryable,
	{ chainId, address: to }: Followed,
	sample: Address,
): Promise<Expectation[]> {
	const of = { chainId, token: to };
	const keys = [totalKey("minted"), totalKey("burned")];
	const rows = await totals.ofKeys(db, { chainId, contract: to }, keys);
	const amount = (kind: string) => rows.find((row) => row.kind === kind)?.amount ?? 0n;
	const supply = amount("minted") - amount("burned");
	const asked: Holder[] = [
		...(await holders.largest(db, of, COMPARED_HOLDERS / 2)),
		...(await holders.from(db, of, { address: sample, limit: COMPARED_HOLDERS / 2 })),
	];
	const view = (functionName: string, args: readonly unknown[], expected: string) => {
		const what = `${functionName}(${args.join()})`;
		return { what, to, abi: tokenViews, functionName, args, expected };
	};
	return [
		view("totalSupply", [], String(supply)),
		...asked.map(({ holder, balance }) => view("balanceOf", [holder], String(balance))),
	];
}

function readAnswer({ abi, functionName, args }: Expectation, answer: unknown): string {
	const data = hexData.safeParse(answer).data;
	assert(data !== undefined, "what cannot be read was asked for again");
	try {
		const read: unknown = decodeFunctionResult({ abi, functionName, args, data });
		return String(read).toLowerCase();
	} catch {
		return "unreadable";
	}
}

function coinOf({ nativeCurrency: { symbol, decimals } }: Chain): KnownCurrency {
	return { address: ZERO_ADDRESS, symbol, decimals };
}

/** Reads a currency's symbol and decimals; null where a node did not answer: it is asked again. */
function currencyOf(address: Address, told: readonly RpcOutcome[]): KnownCurrency | null {
	const isSilent = told.some((one) => one.kind === "fault" && one.fault.code !== "rpc_refused");
	if (told.length === 0 || isSilent) return null;
	const [text, places] = told.map((one) => {
		return one.kind === "result" ? (hexData.safeParse(one.result).data ?? null) : null;
	});
	const symbol = text ? cleanLine(readAbiText(text), { lengthMax: SYMBOL_LENGTH_MAX }) : null;
	const decimals = places ? readAbiUint(places) : null;
	const isSound = decimals !== null && decimals <= DECIMALS_MAX;
	return { address, symbol, decimals: isSound ? Number(decimals) : null };
}
