// Calls many views: together where the chain can, else each alone.

import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Rpc, RpcOptions } from "#core/chain/rpc/Rpc.ts";
import {
	answerOf,
	callContract,
	callTogether,
	isRefusal,
	type View,
	viewCall,
} from "#plugins/market-index/metadata/callContract.ts";

export type CallOptions = Pick<RpcOptions, "minBlock"> & {
	signal: AbortSignal;
	/** Gets the views of which nothing was learned: any other null is the contract's answer. */
	unsure?: Set<View>;
};

type Failed = {
	asked: readonly View[];
	answers: (Hex | null | undefined)[];
	failed: readonly number[];
	/** Functions that their contracts lacked the last time. */
	lacking: Set<string>;
	unsure: Set<View> | undefined;
	askAlone(places: readonly number[]): Promise<void>;
};

/**
 * Holds functions that contracts lack, by chain, released with its `Rpc`: each purpose of a chain
 * has one.
 */
const lackingByChain = new WeakMap<Rpc, Set<string>>();
/** Contracts and functions; the oldest is forgotten first. */
const LACKING_MAX = 1_000;

/** `0x` and four bytes. */
const SELECTOR_LENGTH = 10;

/** Concurrent calls where no request may hold several. */
const AT_ONCE = 4;

/**
 * Calls views, each of any contract; each answers or is null by itself, as with `callContract`.
 *
 * Where the chain has Multicall3 many views are one call. A view that fails there is called alone,
 * in one request with the others that did: another contract may have used up the gas of all.
 */
export async function callEach(
	rpc: Rpc,
	asked: readonly View[],
	options: CallOptions,
): Promise<(Hex | null)[]> {
	const { answers, isTried } = await callTogether(rpc, asked, options);
	const { unsure } = options;
	const askAlone = async (places: readonly number[]) => {
		const own = places.flatMap((place) => asked[place] ?? []);
		const alone = await callAlone(rpc, own, options);
		for (const [index, place] of places.entries()) answers[place] = alone[index] ?? null;
	};
	const failed = [...asked.keys()].filter((place) => answers[place] === undefined);
	const lacking = lackingOf(rpc);
	if (isTried) await askFirst({ asked, answers, failed, lacking, unsure, askAlone });
	await askAlone(failed.filter((place) => answers[place] === undefined));
	return answers.map((answer) => answer ?? null);
}

/**
 * Calls several views of each contract; each answers or is null by itself, as with `callContract`.
 * Answers are by contract, then by view.
 */
export async function callViews(
	rpc: Rpc,
	contracts: readonly Address[],
	views: readonly Hex[],
	signal: AbortSignal,
): Promise<(Hex | null)[][]> {
	const asked = contracts.flatMap((contract) => views.map((data) => ({ contract, data })));
	const answers = await callEach(rpc, asked, { signal });
	return contracts.map((_, index) => {
		return answers.slice(index * views.length, (index + 1) * views.length);
	});
}

/** Sends one call for each, in one request; to a node that refuses that, one by one. */
async function callAlone(
	rpc: Rpc,
	asked: readonly View[],
	options: CallOptions,
): Promise<(Hex | null)[]> {
	if (asked.length === 0) return [];
	try {
		const outcomes = await rpc.settle(asked.map(viewCall), options);
		return asked.map((view, index) => {
			const outcome = outcomes[index];
			if (outcome?.kind === "result") return answerOf(outcome.result);
			if (outcome?.fault.meta["reverted"] !== true) options.unsure?.add(view);
			return null;
		});
	} catch (error) {
		if (!isRefusal(error)) throw error;
		const answers: (Hex | null)[] = [];
		for (let at = 0; at < asked.length; at += AT_ONCE) {
			const part = asked.slice(at, at + AT_ONCE);
			const told = await Promise.all(part.map((view) => callContract(rpc, view, options.signal)));
			for (const [index, view] of part.entries()) if (!told[index]) options.unsure?.add(view);
			answers.push(...told);
		}
		return answers;
	}
}

/**
 * Calls the first view alone where all of a contract's views of one function failed: if it fails as
 * well, the contract has no such function. So a collection of 10,000 tokens without URIs costs one
 * more call, and not 10,000; and none while all of them go on to fail.
 */
async function askFirst(given: Failed): Promise<void> {
	const { asked, answers, failed, lacking, unsure, askAlone } = given;
	const functionOf = (place: number) => {
		const view = asked[place];
		return `${view?.contract}${view?.data.slice(0, SELECTOR_LENGTH)}`;
	};
	const answered = new Set<string>();
	for (const place of asked.keys()) {
		if (answers[place] !== undefined) answered.add(functionOf(place));
	}
	const groups = Map.groupBy(failed, functionOf);
	for (const name of answered) lacking.delete(name);
	const silent = [...groups].filter(([name, own]) => own.length > 1 && !answered.has(name));
	const isNew = ([name]: (typeof silent)[number]) => !lacking.has(name);
	await askAlone(silent.filter(isNew).flatMap(([, [first]]) => first ?? []));
	for (const [name, [first = -1, ...others]] of silent) {
		if (lacking.has(name)) answers[first] = null;
		if (answers[first] !== null) continue;
		for (const place of others) answers[place] = null;
		const view = asked[first];
		// Of the others no more was learned than of the first.
		if (view && unsure?.has(view)) {
			for (const place of others) unsure.add(asked[place] ?? view);
		} else remember(lacking, name);
	}
}

function remember(lacking: Set<string>, name: string): void {
	lacking.delete(name);
	lacking.add(name);
	const [first] = lacking;
	if (lacking.size > LACKING_MAX && first !== undefined) lacking.delete(first);
}

function lackingOf(rpc: Rpc): Set<string> {
	const lacking = lackingByChain.get(rpc) ?? new Set();
	lackingByChain.set(rpc, lacking);
	return lacking;
}
