import type { Entry } from "#agent/grammar/createReader.ts";
import { neededBy } from "#agent/grammar/parseForm.ts";
import type { Values } from "#agent/grammar/readValues.ts";
import type { Signs } from "#agent/grammar/topicSigns.ts";
import type { Found } from "#agent/grammar/walkForms.ts";
import type { Command, Slot, SlotValues } from "#core/plugin/Command.ts";

/** The slots of a command: those that it needs, and the one for each kind of value. */
export type Taker = {
	needed: ReadonlySet<string>;
	needsToken: boolean;
	/** True where a length of time may be left out. */
	isTimeless: boolean;
	/** The only chain that it is about; null: it takes any, or none. */
	onlyChain: string | null;
	slotOf(kind: Slot["kind"]): string | undefined;
};

/** Returns what a command takes. */
export function takerOf({ command, forms }: Entry): Taker {
	const slots = Object.entries(command.slots);
	const needed = neededBy(forms[0] ?? []);
	return {
		needed,
		needsToken: slots.some(([name, { kind }]) => kind === "token" && needed.has(name)),
		isTimeless: command.topic?.anyTime === true,
		onlyChain: command.topic?.chain ?? null,
		slotOf: (kind) => slots.find(([, slot]) => slot.kind === kind)?.[0],
	};
}

/**
 * Returns the command that fits the values and takes precedence over all others that do; undefined
 * where several remain.
 */
export function chooseCommand(
	found: Signs,
	takers: ReadonlyMap<Command, Taker>,
	values: Values,
): Found | undefined {
	const fitting = [...found].flatMap(([command, places]) => {
		const taker = takers.get(command);
		const filled = taker && fill(taker, values);
		return filled ? [{ command, places, filled, isOfToken: taker.needsToken }] : [];
	});
	// A number behind a name is the id of a token, where something is asked of one.
	const isOfToken = fitting.some((one) => one.isOfToken);
	const meant = isOfToken ? fitting.filter((one) => one.isOfToken) : fitting;
	const best = meant.filter((one) => meant.every((other) => one === other || isOver(one, other)));
	const [only] = best;
	if (!only || best.length > 1) return undefined;
	if (values.isPriced && !only.command.topic?.takesPrice) return undefined;
	const names = values.name?.range ? [values.name.range] : [];
	return { command: only.command, values: only.filled, names };
}

type Meant = { command: Command; places: ReadonlySet<number> };

function isOver(one: Meant, other: Meant): boolean {
	if (isMore(one.places, other.places)) return true;
	const names = one.command.topic?.over ?? [];
	return names.includes(other.command.name) && !isMore(other.places, one.places);
}

function isMore(places: ReadonlySet<number>, others: ReadonlySet<number>): boolean {
	return places.size > others.size && [...others].every((at) => places.has(at));
}

/** Returns the values of the command's slots; undefined if one is missing, or has no slot. */
function fill(
	{ needed, isTimeless, onlyChain, slotOf }: Taker,
	values: Values,
): SlotValues | undefined {
	const filled: Record<string, string> = {};
	const given = [
		["collection", values.name?.value],
		["window", values.window],
		["chain", values.chain],
		["token", values.token],
		["asset", values.asset],
	] as const;
	for (const [kind, value] of given) {
		if (value === undefined) continue;
		const slot = slotOf(kind);
		const [named, chained] = [slotOf("collection"), slotOf("chain")];
		if (slot !== undefined) filled[slot] = value;
		else if (kind === "token" && values.numbered !== undefined && named !== undefined) {
			filled[named] = values.numbered;
		} else if (kind === "collection" && values.name?.chain && chained !== undefined) {
			if (values.chain !== undefined) return undefined;
			filled[chained] = values.name.chain;
		} else if (kind === "chain" && value === onlyChain) continue;
		else if (kind !== "window") return undefined;
		else if (!values.isSaidOnly && (!isTimeless || values.isPast)) return undefined;
	}
	return [...needed].every((slot) => slot in filled) ? filled : undefined;
}
