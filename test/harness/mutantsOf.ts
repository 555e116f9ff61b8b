/** A copy of a value with one change; `path` says where, `how` says which. */
export type Mutant<Value> = { path: string; how: string; value: Value };

type Step = string | number;

/**
 * Returns every mutant of a value: each leaf replaced by another one of its type, each member left
 * out, each list shorter, longer, or reordered. Paths are `a.b[0].c`.
 */
export function mutantsOf<Value>(value: Value): Mutant<Value>[] {
	return [...spoil(value, [])].map(({ steps, how, made }) => ({
		path: pathOf(steps),
		how,
		value: replaced(value, steps, made) as Value,
	}));
}

/** Returns the paths of all leaves, with `[]` for every index. */
export function leavesOf(value: unknown): Set<string> {
	return new Set([...leaves(value, [])].map((steps) => pathOf(steps).replace(/\[\d+\]/g, "[]")));
}

const GONE = Symbol("left out");

function* spoil(
	value: unknown,
	steps: Step[],
): Generator<{ steps: Step[]; how: string; made: unknown }> {
	if (Array.isArray(value)) {
		if (value.length > 0) yield { steps, how: "empty", made: [] };
		for (const [index, item] of value.entries()) {
			yield { steps, how: `without ${index}`, made: value.toSpliced(index, 1) };
			yield { steps, how: `twice ${index}`, made: value.toSpliced(index, 0, item) };
			if (index > 0) {
				const swapped = value.with(index, value[index - 1]).with(index - 1, item);
				if (!Bun.deepEquals(swapped, value)) yield { steps, how: `swap ${index}`, made: swapped };
			}
			yield* spoil(item, [...steps, index]);
		}
		if (value.length === 0) yield { steps, how: "one more", made: [{}] };
		return;
	}
	if (typeof value === "object" && value !== null) {
		for (const [key, member] of Object.entries(value)) {
			yield { steps: [...steps, key], how: "left out", made: GONE };
			yield* spoil(member, [...steps, key]);
		}
		return;
	}
	for (const made of others(value)) yield { steps, how: `is ${String(made)}`, made };
}

/** Returns other values of a leaf's type, and some of other types. */
function others(value: unknown): unknown[] {
	const made: unknown[] = [null, {}, []];
	if (typeof value === "boolean") made.push(!value);
	if (typeof value === "number") made.push(value + 1, value - 1, value * 2, 0, 1, 2, 3, 255, 0.5);
	if (typeof value === "bigint") {
		made.push(value + 1n, value - 1n, value * 2n, 0n, 2n ** 256n - 1n);
	}
	if (typeof value === "string") made.push("", "0", `${value}1`, ...otherTexts(value));
	if (value === null) made.push("x", 1);
	return made.filter((one) => !Bun.deepEquals(one, value) && !isSame(one, value));
}

function otherTexts(text: string): string[] {
	if (/^0x[0-9a-f]*$/i.test(text)) {
		const flip = (at: number) =>
			`${text.slice(0, at)}${text[at] === "1" ? "2" : "1"}${text.slice(at + 1)}`;
		const spots = text.length > 2 ? [2, Math.floor(text.length / 2), text.length - 1] : [];
		const flipped = spots.map(flip);
		return [...flipped, `0x${"0".repeat(text.length - 2)}`, text.slice(0, -2), `${text}00`];
	}
	if (/^\d+$/.test(text)) {
		const exact = BigInt(text);
		return [exact + 1n, exact - 1n, exact * 2n, exact * 10n, 2n ** 256n - 1n].map(String);
	}
	return [`${text}x`, text.slice(1)];
}

/** Returns true for two forms of the same value (1 and "1"): that is no mutant. */
function isSame(one: unknown, other: unknown): boolean {
	return typeof one !== "object" && typeof other !== "object" && String(one) === String(other);
}

function* leaves(value: unknown, steps: Step[]): Generator<Step[]> {
	if (Array.isArray(value)) {
		if (value.length === 0) yield steps;
		for (const [index, item] of value.entries()) yield* leaves(item, [...steps, index]);
	} else if (typeof value === "object" && value !== null) {
		for (const [key, member] of Object.entries(value)) yield* leaves(member, [...steps, key]);
	} else yield steps;
}

function replaced(value: unknown, steps: readonly Step[], made: unknown): unknown {
	const [step, ...rest] = steps;
	if (step === undefined) return made;
	if (Array.isArray(value))
		return value.with(Number(step), replaced(value[Number(step)], rest, made));
	const entries = Object.entries(value as object).flatMap(([key, member]) => {
		if (key !== step) return [[key, member]];
		const next = replaced(member, rest, made);
		return next === GONE ? [] : [[key, next]];
	});
	return Object.fromEntries(entries);
}

function pathOf(steps: readonly Step[]): string {
	return steps
		.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
		.join("")
		.replace(/^\./, "");
}
