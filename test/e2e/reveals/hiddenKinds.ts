// Lists ways in which collections are hidden, and whether what follows is a reveal.

import type { Hex } from "viem";
import { type RevealLab, sealed, shownAs } from "./openRevealLab.ts";

/** What the document server answers for a folder; changed by a kind's step. */
export type Folders = Map<string, (id: number) => unknown>;

export type HiddenKind = {
	name: string;
	/** The URI's base, below the server's origin or whole, and whether all tokens share it. */
	base: string;
	isShared?: boolean;
	/** What follows a token's number in its URI; `ticks`: and the block's number. */
	tail?: string;
	ticks?: boolean;
	/** What the server shows of a token before; null: nothing. */
	before: (id: number) => unknown;
	/** What it shows after the step, under the new base. */
	after: (id: number) => unknown;
	/** The new base; undefined: the old one stays. */
	moves?: string;
	isReveal: boolean;
};

const IMAGES = "https://images.test";
const svg = `data:application/json,{"name":"Drawn","image":"${IMAGES}/drawn-`;
const drawnTail = `.svg"}`;
const phase = (id: number, of = ["Egg", "Larva", "Pupa"]) => ({
	...sealed,
	attributes: [{ trait_type: "Phase", value: of[id % 3] }],
});
const numbered = (id: number, more: object = {}) => ({
	...sealed,
	attributes: [{ trait_type: "Mint number", value: id, ...more }],
});
const second = {
	name: "Later",
	image: `${IMAGES}/second.png`,
	attributes: [{ trait_type: "Status", value: "soon" }],
};
const withoutTraits = (id: number) => ({ name: `No. ${id}`, image: `${IMAGES}/own-${id}.png` });
const gone = () => null;
const hidden = () => sealed;

/** Each is told by an event of ERC-4906. */
export const HIDDEN_KINDS: readonly HiddenKind[] = [
	{
		name: "empty",
		base: "",
		isShared: true,
		before: gone,
		after: shownAs,
		moves: "e1/",
		isReveal: true,
	},
	{ name: "missing", base: "m/", before: gone, after: shownAs, isReveal: true },
	{
		name: "missing-moved",
		base: "mm/",
		before: gone,
		after: shownAs,
		moves: "mm1/",
		isReveal: true,
	},
	{
		name: "drawn",
		base: svg,
		tail: drawnTail,
		before: gone,
		after: shownAs,
		moves: "d1/",
		isReveal: true,
	},
	{
		...{ name: "ticking", base: svg, tail: drawnTail, ticks: true, before: gone },
		...{ after: shownAs, moves: "t1/", isReveal: true },
	},
	{ name: "bare", base: "b/", before: () => ({ name: "Soon" }), after: shownAs, isReveal: true },
	{ name: "phase", base: "p/", before: (id) => phase(id), after: shownAs, isReveal: true },
	{ name: "number", base: "n/", before: (id) => numbered(id), after: shownAs, isReveal: true },
	{
		...{ name: "declared", base: "dn/", after: shownAs, isReveal: true },
		before: (id) => numbered(id, { display_type: "number" }),
	},
	{
		...{ name: "preview", base: "pv/", after: shownAs, isReveal: true },
		before: (id) => (id === 5 ? shownAs(5) : sealed),
	},
	{
		...{ name: "rerolled", base: "r/", before: shownAs, isReveal: true },
		after: (id) => ({
			...shownAs(id),
			attributes: [{ trait_type: "Hat", value: id % 10 === 0 ? "Halo" : `Hood ${id % 3}` }],
		}),
	},
	{
		...{ name: "without-traits", base: "wt/", before: hidden, isReveal: true },
		after: (id) => (id % 5 === 0 && id !== 10 ? withoutTraits(id) : shownAs(id)),
	},
	{
		...{ name: "second-before", base: "sb/", after: shownAs, moves: "sb1/", isReveal: true },
		before: (id) => ({ ...second, name: `No. ${id}` }),
	},
	{
		name: "reworded",
		base: "rw/",
		before: hidden,
		after: (id) => ({ ...sealed, name: `No. ${id}` }),
		isReveal: false,
	},
	{ name: "moved", base: "mv/", before: hidden, after: hidden, moves: "mv1/", isReveal: false },
	{
		name: "moved-open",
		base: "mo/",
		before: shownAs,
		after: shownAs,
		moves: "mo1/",
		isReveal: false,
	},
	{
		...{ name: "second", base: "s/", before: hidden, moves: "s1", isReveal: false },
		after: () => second,
	},
	{
		...{ name: "second-preview", base: "sp/", before: hidden, moves: "sp1/", isReveal: false },
		// Among those that are looked at.
		after: (id) => (id === 1 ? shownAs(id) : second),
	},
	{
		...{ name: "second-numbered", base: "sn/", before: hidden, isReveal: false },
		after: (id) => ({
			...second,
			attributes: [...second.attributes, { trait_type: "Mint number", value: id }],
		}),
	},
	{
		...{ name: "flicker", base: svg, tail: drawnTail, ticks: true, before: gone },
		...{ after: gone, isReveal: false },
	},
	{
		name: "few",
		base: "f/",
		before: hidden,
		after: (id) => (id <= 4 ? shownAs(id) : sealed),
		isReveal: false,
	},
	{
		name: "numbered-later",
		base: "nl/",
		before: hidden,
		after: (id) => numbered(id),
		isReveal: false,
	},
	{ name: "lost", base: "l/", before: shownAs, after: gone, isReveal: false },
	{ name: "emptied", base: "em/", before: shownAs, after: () => ({}), isReveal: false },
];

/** Deploys a hidden collection of this kind with `count` tokens; returns its address. */
export async function hide(
	{ chain, origin }: RevealLab,
	folders: Folders,
	{ kind, holder, count }: { kind: HiddenKind; holder: Hex; count: number },
): Promise<Hex> {
	const { name, base, isShared = false, tail = "", ticks = false } = kind;
	const whole = base === "" || base.includes(":") ? base : `${origin}/${base}`;
	folders.set(base.replace("/", ""), kind.before);
	const contract = await chain.deploy("Reveal721", [name, whole, isShared]);
	if (tail !== "") await chain.call("Reveal721", contract, "setTail", [tail, ticks]);
	await chain.call("Reveal721", contract, "mint", [holder, BigInt(count)]);
	return contract;
}

/** Makes the kind's step, with an event of ERC-4906. */
export async function open(
	{ chain, origin }: RevealLab,
	folders: Folders,
	{ kind, contract }: { kind: HiddenKind; contract: Hex },
): Promise<void> {
	const { moves, base, tail } = kind;
	const next = moves ?? base;
	folders.set(next.replace("/", ""), kind.after);
	if (moves !== undefined && tail) await chain.call("Reveal721", contract, "setTail", ["", false]);
	const isWhole = next === "" || next.includes(":");
	const shared = !next.endsWith("/") && !isWhole;
	await chain.call("Reveal721", contract, "setBase", [
		isWhole ? next : `${origin}/${next}`,
		shared,
		1,
	]);
}
