// Lists every way in which one member of a value can be wrong.

import { z } from "zod";

/** A copy of a value with one change; `path` says where, `how` says which. */
export type Mutant<Value> = { path: string; how: string; value: Value };

/** What a schema reads of a sample. */
export type SchemaMutants<Value> = {
	/** The sample without the members that the schema does not read. */
	read: Value;
	/** Each of them contradicts the schema, or means something else than the sample. */
	mutants: Mutant<Value>[];
	/** The members of the schema that the sample has, and lacks; with `[]` for every index. */
	has: ReadonlySet<string>;
	lacks: ReadonlySet<string>;
};

type Step = string | number;

type Json = Record<string, unknown>;
/** A member of a sample that a schema reads, and what the schema says about it. */
type Member = { path: string; isOpaque: boolean; literals: readonly unknown[] };

type Place = {
	/** What the schema has for this place: several for a union. */
	schemas: readonly Json[];
	/** Other values that the schema lists here. */
	literals: readonly unknown[];
	path: string;
	members: Member[];
	missing: string[];
};

const GONE = Symbol("left out");

/** Texts that no id is: the schema of an id has to refuse them. */
const NO_IDS = ["", " ", "two words", "line\nline", "é", "x".repeat(4_096)];

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

/**
 * Derives mutants of a sample from the schema that reads it: every mutant of every member that is
 * read, every other value that the schema lists for it, and every member that the sample lacks. An
 * id (`isOpaque` in its schema's description) may be any text of its form, so its mutants are those
 * that break the form.
 */
export function mutantsOfSchema<Value>(schema: z.ZodType, sample: Value): SchemaMutants<Value> {
	const root = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Json;
	const members: Member[] = [];
	const missing: string[] = [];
	const read = pick(sample, { schemas: [root], literals: [], path: "", members, missing }) as Value;
	const opaque = new Set(members.filter(({ isOpaque }) => isOpaque).map(({ path }) => path));
	const isFreeId = ({ path, value }: Mutant<Value>) =>
		opaque.has(path) && typeof valueAt(value, path) === "string";
	const changes: { path: string; made: unknown }[] = [
		...members.flatMap(({ path, literals }) => literals.map((made) => ({ path, made }))),
		...[...opaque].flatMap((path) => NO_IDS.map((made) => ({ path, made }))),
		...missing.map((path) => ({ path, made: "1" })),
	];
	return {
		read,
		mutants: [
			...mutantsOf(read).filter((mutant) => !isFreeId(mutant)),
			...changes.map(({ path, made }) => ({
				...{ path, how: `is ${JSON.stringify(made).slice(0, 40)}` },
				value: put(read, { steps: stepsOf(path), made }) as Value,
			})),
		],
		has: leavesOf(read),
		lacks: new Set(missing.map((path) => path.replace(/\[\d+\]/g, "[]"))),
	};
}

/** Returns the paths of all leaves, with `[]` for every index. */
export function leavesOf(value: unknown): Set<string> {
	return new Set([...leaves(value, [])].map((steps) => pathOf(steps).replace(/\[\d+\]/g, "[]")));
}

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

function pathOf(steps: readonly Step[]): string {
	return steps
		.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
		.join("")
		.replace(/^\./, "");
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

/** Copies what the schema reads of a value, and notes its members. */
function pick(value: unknown, { schemas, literals, path, members, missing }: Place): unknown {
	const all = schemas.flatMap(branches);
	const fitting = all.filter((schema) => fits(schema, value));
	const listed = fitting.flatMap(({ enum: of }) => (Array.isArray(of) ? of : []));
	members.push({
		...{ path, isOpaque: fitting.some(({ isOpaque }) => isOpaque === true) },
		literals: [...literals, ...listed].filter((one) => one !== value),
	});
	const inside = (name: string, of: readonly Json[], others: readonly unknown[] = []) => ({
		...{ schemas: of, literals: others, members, missing },
		path: `${path}${name}`.replace(/^\./, ""),
	});
	if (Array.isArray(value)) {
		const items = fitting.flatMap(({ items: of }) => (isJson(of) ? [of] : []));
		return value.map((item, index) => pick(item, inside(`[${index}]`, items)));
	}
	if (!isJson(value)) return value;
	const picked: Json = {};
	for (const [name, of] of propertiesOf(fitting)) {
		// The literals of the union's other branches: another kind of the same thing.
		const others = (propertiesOf(all).get(name) ?? []).flatMap((one) => one.const ?? []);
		const place = inside(`.${name}`, of, others);
		if (name in value) picked[name] = pick(value[name], place);
		else missing.push(place.path);
	}
	return picked;
}

function branches(schema: Json): Json[] {
	const several = schema.anyOf ?? schema.oneOf;
	return Array.isArray(several) ? several.filter(isJson).flatMap(branches) : [schema];
}

function isJson(value: unknown): value is Json {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns true unless a literal of this branch contradicts the value: it is of another branch. */
function fits({ properties }: Json, value: unknown): boolean {
	if (!isJson(properties) || !isJson(value)) return true;
	return Object.entries(properties).every(([name, of]) => {
		return !isJson(of) || of.const === undefined || of.const === value[name];
	});
}

function propertiesOf(schemas: readonly Json[]): Map<string, Json[]> {
	const found = new Map<string, Json[]>();
	for (const { properties } of schemas) {
		if (!isJson(properties)) continue;
		for (const [name, of] of Object.entries(properties)) {
			if (isJson(of)) found.set(name, [...(found.get(name) ?? []), of]);
		}
	}
	return found;
}

function valueAt(value: unknown, path: string): unknown {
	let found = value;
	for (const step of stepsOf(path)) found = Reflect.get(Object(found), step);
	return found;
}

function stepsOf(path: string): string[] {
	return path.replace(/\[(\d+)\]/g, ".$1").split(".");
}

function put(
	value: unknown,
	{ steps, made }: { steps: readonly string[]; made: unknown },
): unknown {
	const [step, ...rest] = steps;
	if (step === undefined) return made;
	const copy: object = Array.isArray(value) ? [...value] : { ...Object(value) };
	Reflect.set(copy, step, put(Reflect.get(copy, step), { steps: rest, made }));
	return copy;
}

function* leaves(value: unknown, steps: Step[]): Generator<Step[]> {
	if (Array.isArray(value)) {
		if (value.length === 0) yield steps;
		for (const [index, item] of value.entries()) yield* leaves(item, [...steps, index]);
	} else if (typeof value === "object" && value !== null) {
		for (const [key, member] of Object.entries(value)) yield* leaves(member, [...steps, key]);
	} else yield steps;
}
