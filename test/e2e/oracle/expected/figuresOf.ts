import { asksOf, newestOf, unitOf } from "#test/e2e/oracle/expected/bookOf.ts";
import { type Figure, UNKNOWN } from "#test/e2e/oracle/expected/Figure.ts";
import { windowFigures } from "#test/e2e/oracle/expected/windowFigures.ts";
import { ether, unitWorthOf } from "#test/e2e/oracle/expected/worthOf.ts";
import type { Told, View } from "#test/e2e/oracle/Known.ts";

/** Returns every figure of a collection's page, from the chain and the provider's answers alone. */
export function figuresOf(view: View, nowMs: number): Record<string, Figure> {
	const { sales, volume } = windowFigures(view, nowMs, "24h");
	return {
		floorNative: floorOf(view),
		// No floor of a day ago exists to compare with.
		floorChange24hPercent: { ...UNKNOWN, unit: "percent", window: "24h", reasons: ["not_read"] },
		volume24hNative: volume,
		sales24h: sales,
		ownersCount: ownersOf(view),
		listedCount: listedOf(view),
		totalSupply: supplyOf(view),
		mints1h: windowFigures(view, nowMs, "1h").mints,
		mintedSupply: mintedOf(view),
		mintPriceNative: mintPriceOf(view),
	};
}

/** Returns the provider's floor if it is in ether, else the best ask; zero is unknown. */
function floorOf(view: View): Figure {
	const stats = newestOf(view.told.stats);
	const { floor_price: told = 0, floor_price_symbol: symbol } = stats?.answer.total ?? {};
	const asks = asksOf(view);
	const units = (asks ?? []).flatMap((ask) => unitOf(ask) ?? []);
	const best = units.reduce<bigint | null>(
		(low, one) => (low === null || one < low ? one : low),
		null,
	);
	const isTold = view.isSole && told > 0 && symbol === "ETH";
	const value = isTold ? told : best && ether(best);
	// The provider's words are decimals of a few places; a double of wei would have more.
	const raw = isTold ? BigInt(Math.round(told * 1e9)) * 10n ** 9n : best;
	const isAsked = stats !== null || asks !== null;
	return {
		...UNKNOWN,
		unit: "ETH",
		value,
		raw,
		sources: ["provider"],
		reasons: isAsked ? ["not_read", "not_counted"] : ["not_read"],
		toldAt: timesOf([...view.told.stats, ...view.told.listings, ...view.told.allListings]),
	};
}

/**
 * Counts owners by a finished walk, else by the provider, else by the recipients that the index
 * saw.
 */
function ownersOf(view: View): Figure {
	const figure = { ...UNKNOWN, unit: "count" as const };
	if (view.owners)
		return { ...figure, value: view.owners.units.size, sources: ["walk"], reasons: [] };
	const counted = view.told.stats.filter(({ answer }) => answer.total.num_owners > 0);
	const told = view.isSole ? newestOf(counted) : null;
	if (told) {
		const value = told.answer.total.num_owners;
		return { ...figure, value, sources: ["provider"], reasons: [], toldAt: timesOf(counted) };
	}
	const got = view.known.filter(({ kind, accepted }) => kind !== "transfer" && accepted);
	const recipients = new Set(got.map(({ to }) => to)).size;
	const value = recipients === 0 ? null : recipients;
	// A zero of a provider that has not counted is no figure.
	const zero = view.isSole && view.told.stats.length > 0 ? ["not_counted"] : [];
	return { ...figure, value, sources: ["chain"], reasons: ["not_read", ...zero] };
}

/** Counts tokens with a listing, each once, if the whole book was read. */
function listedOf(view: View): Figure {
	const asks = asksOf(view);
	const toldAt = timesOf([...view.told.listings, ...view.told.allListings]);
	const value = asks && new Set(asks.map(({ tokenId }) => tokenId)).size;
	return { ...UNKNOWN, unit: "count", value, sources: ["provider"], reasons: ["not_read"], toldAt };
}

/** Returns minted less burned for a walked contract, else what the provider told. */
function supplyOf(view: View): Figure {
	const figure = { ...UNKNOWN, unit: "count" as const, reasons: ["not_read"] };
	if (view.owners) {
		const value = Number(view.owners.minted - view.owners.burned);
		return { ...figure, value, sources: ["walk"] };
	}
	const counted = view.told.pages.filter(({ answer }) => answer.total_supply > 0);
	const told = view.isSole ? newestOf(counted) : null;
	const zero = view.isSole && view.told.pages.length > 0 ? ["not_counted"] : [];
	if (!told) return { ...figure, reasons: ["not_read", ...zero] };
	const value = told.answer.total_supply;
	// Its time is not compared: a delayed sync may store it minutes after it was told.
	return { ...figure, value, sources: ["provider"] };
}

/** Counts units ever minted: by a walk all of them, else those that the index saw. */
function mintedOf(view: View): Figure {
	const figure = { ...UNKNOWN, unit: "count" as const };
	if (view.owners)
		return { ...figure, value: Number(view.owners.minted), sources: ["walk"], reasons: [] };
	const mints = view.known.filter(({ kind, accepted }) => kind === "mint" && accepted);
	const minted = Number(mints.reduce((sum, { quantity }) => sum + quantity, 0n));
	const supply = supplyOf(view).value;
	return {
		...figure,
		value: minted === 0 ? null : minted,
		sources: ["chain"],
		reasons: supply === null ? ["not_covered"] : ["not_covered", "contradicted"],
		share: supply === null ? null : Math.min(1, minted / supply),
	};
}

/** Returns the price of a unit at the newest mint; a free mint is 0, an untold price is unknown. */
function mintPriceOf({ known }: View): Figure {
	const last = known.filter(({ kind, accepted }) => kind === "mint" && accepted).at(-1);
	const raw = last ? unitWorthOf(last) : null;
	// No source told the price of a mint that only the provider told, without a payment.
	const reasons = [last && last.total !== null ? "no_price" : "not_read"];
	return {
		...UNKNOWN,
		unit: "ETH",
		value: raw === null ? null : ether(raw),
		raw,
		sources: ["chain"],
		reasons,
	};
}

const timesOf = (all: readonly Told[]) => all.map(({ atMs }) => atMs);
