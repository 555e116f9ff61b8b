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
	/**
	 * What the contract tells of the step, as `setBase` takes it; `each`: an event for each token.
	 */
	tells?: 0 | 1 | 2 | 3 | 4 | "each";
	/** Tokens below these ids tell no URI: before the step, and after it. */
	muted?: readonly [before: bigint, after: bigint];
	/** So many spaces follow what a token tells after the step. */
	padding?: bigint;
	/** Tokens beside those from 1 on. */
	moreIds?: readonly bigint[];
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
/** A document of a hundred kilobytes in the URI itself, which a token's number completes. */
const onChain = `data:application/json,{"image":"${IMAGES}/own.png","attributes":[{"trait_type":"Hat","value":"No. `;
const onChainTail = `"}]`;
const redirected = (id: number) =>
	new Response(null, { status: 302, headers: { location: `/rd1/${id}` } });
const asText = (id: number) =>
	new Response(JSON.stringify(shownAs(id)), { headers: { "content-type": "text/plain" } });
/** As stores of objects answer for what is not there, and as a server that does not want us. */
const withheld = () => new Response("<Error><Code>AccessDenied</Code></Error>", { status: 403 });
const refused = () => new Response("Forbidden", { status: 403 });
const ALL = 2n ** 256n - 1n;
const gone = () => null;
const hidden = () => sealed;

/** Each is told by an event of ERC-4906, where it does not say otherwise. */
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
		...{ name: "reverting", base: "rv/", before: gone, after: shownAs, isReveal: true },
		muted: [ALL, 0n],
	},
	{
		...{ name: "reverting-some", base: "rs/", before: hidden, after: shownAs, isReveal: true },
		...{ muted: [2n, 2n], moves: "rs1/" },
	},
	{
		...{ name: "sparse", base: "sx/", before: hidden, after: shownAs, isReveal: true },
		...{ moreIds: [2n ** 128n + 7n, 2n ** 200n, ALL], moves: "sx1/" },
	},
	{
		...{ name: "storm", base: "st/", before: hidden, after: shownAs, isReveal: true },
		...{ tells: 3, moves: "st1/" },
	},
	{
		...{ name: "no-range", base: "nr/", before: hidden, after: shownAs, isReveal: true },
		...{ tells: 4, moves: "nr1/" },
	},
	{
		...{ name: "silent", base: "si/", before: hidden, after: shownAs, isReveal: true },
		...{ tells: 0, moves: "si1/" },
	},
	{
		...{ name: "provenance", base: "pr/", before: hidden, after: shownAs, isReveal: true },
		...{ tells: 2, moves: "pr1/" },
	},
	{
		...{ name: "each", base: "ea/", before: hidden, after: shownAs, isReveal: true },
		tells: "each",
	},
	{
		...{ name: "in-the-uri", base: "iu/", before: hidden, after: gone, isReveal: true },
		...{ moves: onChain, padding: 100_000n },
	},
	{
		...{ name: "in-a-long-uri", base: "il/", before: hidden, after: gone, isReveal: true },
		...{ moves: onChain, padding: 400_000n },
	},
	{
		...{ name: "redirected", base: "rd/", before: hidden, after: redirected, isReveal: true },
	},
	{
		...{ name: "as-text", base: "tx/", before: hidden, after: asText, isReveal: true },
	},
	{ name: "withheld", base: "wh/", before: withheld, after: shownAs, isReveal: true },
	// What it showed before nobody knows: it may have been the same.
	{ name: "refused", base: "rf/", before: refused, after: shownAs, isReveal: false },
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
	const { name, base, isShared = false, tail = "", ticks = false, muted, moreIds = [] } = kind;
	const whole = base === "" || base.includes(":") ? base : `${origin}/${base}`;
	folders.set(base.replace("/", ""), kind.before);
	const contract = await chain.deploy("Reveal721", [name, whole, isShared]);
	const call = (method: string, args: unknown[]) => chain.call("Reveal721", contract, method, args);
	if (tail !== "") await call("setTail", [tail, ticks]);
	if (muted) await call("setOdd", [muted[0], 0n]);
	await call("mint", [holder, BigInt(count - moreIds.length)]);
	for (const id of moreIds) await call("mintWith", [holder, 0n, id]);
	return contract;
}

/** Makes the kind's step, with what its contract tells of it. */
export async function open(
	{ chain, origin }: RevealLab,
	folders: Folders,
	{ kind, contract, count }: { kind: HiddenKind; contract: Hex; count: number },
): Promise<void> {
	const { moves, base, tail, tells = 1, muted, padding = 0n } = kind;
	const next = moves ?? base;
	const isWhole = next === "" || next.includes(":");
	const call = (method: string, args: unknown[]) => chain.call("Reveal721", contract, method, args);
	if (tells === "each") {
		// Of a token only what it tells is out.
		for (let out = 1; out <= count; out++) {
			folders.set(next.replace("/", ""), (id) => (id <= out ? kind.after(id) : kind.before(id)));
			await call("tell", [BigInt(out)]);
		}
		return;
	}
	folders.set(next.replace("/", ""), kind.after);
	if (muted || padding > 0n) await call("setOdd", [muted?.[1] ?? 0n, padding]);
	if (moves !== undefined && tail) await call("setTail", ["", false]);
	if (padding > 0n) await call("setTail", [onChainTail, false]);
	const shared = !next.endsWith("/") && !isWhole;
	await call("setBase", [isWhole ? next : `${origin}/${next}`, shared, tells]);
}
