// Calls many views: together where the chain can, else each alone.

import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import {
	answerOf,
	type CallOptions as ContractCallOptions,
	callContract,
	callProven,
	callTogether,
	isRefusal,
	type View,
	viewCall,
} from "#plugins/market-index/metadata/callContract.ts";

export type CallOptions = ContractCallOptions & {
	/** Gets the views of which nothing was learned: any other null is the contract's answer. */
	unsure?: Set<View>;
};

export type DocumentOptions = Omit<CallOptions, "tooLong"> & {
	unsure: Set<View>;
	/** Gets the views for which there was no room: nothing was learned of them either. */
	left: Set<View>;
	/**
	 * Gets contracts whose answers are long. They are not called with others, who would wait for
	 * them: nothing is learned of theirs. Left out: they are called after the others.
	 */
	apart?: Set<Address> | undefined;
};

/**
 * Contracts whose answers are long, and those of which more gas did not help, the oldest first.
 */
type LongKnown = { long: Set<string>; failed: Set<string>; calls: number };

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

/** The number of failed views from which one more call together is better than one for each. */
const PROVEN_WORTH = 3;

/** Concurrent calls where no request may hold several. */
const AT_ONCE = 4;

const longByChain = new WeakMap<Rpc, LongKnown>();
/** Calls after which contracts of which more gas did not help are called with more once more. */
const FAILED_FORGOTTEN_CALLS = 64;
/** Limits the body that has the answers of several calls: larger ones are called one by one. */
const BATCH_BYTES_MAX = 16 * 1024 * 1024;
/** Limits the hex digits of all long answers together; a call beyond it waits for room. */
const ROOM_LENGTH = 33_554_432;

/**
 * Calls views, each of any contract; each answers or is null by itself, as with `callContract`.
 *
 * Where the chain has Multicall3 many views are one call. Those that fail there are called once
 * more together, with a proof that none lacks gas: another contract may have used up the gas of
 * all. What is not proven so is called alone.
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
	if (isTried) {
		await askFirst({ asked, answers, failed, lacking, unsure, askAlone });
		const open = failed.filter((place) => answers[place] === undefined);
		// A view that takes more gas than that would count as answered: documents may.
		if (!unsure && open.length >= PROVEN_WORTH)
			await askProven(rpc, open, { asked, answers, options });
	}
	await askAlone(failed.filter((place) => answers[place] === undefined));
	return answers.map((answer) => answer ?? null);
}

/**
 * Calls views that may answer with a whole document, as `callEach` does. Where a contract's answers
 * are longer than others may be, or take more gas, its views are called alone, and as many of them
 * as there is room for. An answer that is too long even so tells nothing of its view.
 */
export async function callDocuments(
	rpc: Rpc,
	asked: readonly View[],
	options: DocumentOptions,
): Promise<(Hex | null)[]> {
	const known = longByChain.get(rpc) ?? { long: new Set(), failed: new Set(), calls: 0 };
	longByChain.set(rpc, known);
	known.calls = (known.calls + 1) % FAILED_FORGOTTEN_CALLS;
	if (known.calls === 0) known.failed.clear();
	const { apart, unsure, left, ...shared } = options;
	const tooLong = new Set<View>();
	const views = asked.filter(({ contract }) => !known.long.has(contract));
	const told = await callEach(rpc, views, { ...shared, unsure, tooLong });
	const answers = new Map(views.map((view, place) => [view, told[place] ?? null]));
	for (const { contract } of tooLong) remember(known.long, contract);
	const failed = failedWhole(views, answers, known);
	if (!apart) await findDear(rpc, failed, { ...shared, known });
	const isAlone = ({ contract }: View) => known.long.has(contract) || failed.has(contract);
	const rest = asked.filter((view) => !answers.get(view) && isAlone(view));
	if (apart) {
		for (const view of rest) {
			unsure.add(view);
			apart.add(view.contract);
		}
	} else {
		const long = rest.filter(({ contract }) => known.long.has(contract));
		await callLong(rpc, long, { ...shared, unsure, left, answers });
	}
	return asked.map((view) => answers.get(view) ?? null);
}

/**
 * Returns contracts of which no view answered, unless that was so a while ago, with a view each.
 */
function failedWhole(
	views: readonly View[],
	answers: ReadonlyMap<View, Hex | null>,
	{ long, failed }: LongKnown,
): Map<Address, View> {
	const found = new Map<Address, View>();
	for (const view of views) if (!found.has(view.contract)) found.set(view.contract, view);
	for (const view of views) if (answers.get(view)) found.delete(view.contract);
	for (const contract of found.keys()) {
		if (long.has(contract) || failed.has(contract)) found.delete(contract);
	}
	return found;
}

/** Finds contracts that need more gas than others may use, by one view of each. */
async function findDear(
	rpc: Rpc,
	contracts: ReadonlyMap<Address, View>,
	{ known, ...options }: ContractCallOptions & { known: LongKnown },
): Promise<void> {
	for (const [contract, view] of contracts) {
		const answer = await callContract(rpc, { ...view, isLong: true }, options);
		remember(answer === null ? known.failed : known.long, contract);
	}
}

/** Calls views one by one, until what they answered takes all the room. */
async function callLong(
	rpc: Rpc,
	rest: readonly View[],
	given: Omit<DocumentOptions, "apart" | "tooLong"> & { answers: Map<View, Hex | null> },
): Promise<void> {
	const { answers, unsure, left, ...options } = given;
	let length = 0;
	for (let at = 0; at < rest.length; at += AT_ONCE) {
		const part = rest.slice(at, at + AT_ONCE);
		const called = part.map(async (view) => {
			const doubts = new Set<View>();
			if (length > ROOM_LENGTH) {
				left.add(view);
				unsure.add(view);
				return;
			}
			const alone = [{ ...view, isLong: true }];
			const asking = { ...options, unsure: doubts, tooLong: doubts };
			const [answer = null] = await callAlone(rpc, alone, asking);
			answers.set(view, answer);
			length += answer?.length ?? 0;
			if (doubts.size > 0) unsure.add(view);
			else unsure.delete(view);
		});
		await Promise.all(called);
	}
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
		const bounded = { ...options, bodyBytesMax: BATCH_BYTES_MAX };
		const outcomes = await rpc.settle(asked.map(viewCall), bounded);
		return asked.map((view, index) => {
			const outcome = outcomes[index];
			if (outcome?.kind === "result") return answerOf(outcome.result, view, options.tooLong);
			if (outcome?.fault.meta["reverted"] !== true) options.unsure?.add(view);
			return null;
		});
	} catch (error) {
		if (!isRefusal(error)) throw error;
		const answers: (Hex | null)[] = [];
		/** Holds contracts with an answer that was too long; their other views are not called here. */
		const long = new Set<Address>();
		for (let at = 0; at < asked.length; at += AT_ONCE) {
			const part = asked.slice(at, at + AT_ONCE);
			const told = await Promise.all(
				part.map((view) => (long.has(view.contract) ? null : callContract(rpc, view, options))),
			);
			for (const [index, view] of part.entries()) {
				if (!told[index]) options.unsure?.add(view);
				if (options.tooLong?.has(view)) long.add(view.contract);
			}
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

/** Calls again, together, what failed; what is proven to have no answer is null. */
async function askProven(
	rpc: Rpc,
	places: readonly number[],
	given: Pick<Failed, "asked" | "answers"> & { options: ContractCallOptions },
): Promise<void> {
	const { asked, answers, options } = given;
	const views = places.flatMap((place) => asked[place] ?? []);
	const found = await callProven(rpc, views, options);
	for (const [index, place] of places.entries()) answers[place] = found[index];
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
