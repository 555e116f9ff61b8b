import { zeroAddress } from "viem";
import { addresses } from "../../addresses.ts";
import { unitsOf } from "../market/etherOf.ts";
import { holdersOf, listingsOf, salesSince } from "../market/figuresOf.ts";
import type { Collection } from "../market/Market.ts";
import { CHAIN, type Office } from "./Office.ts";
import { renderCurrency } from "./renderCurrency.ts";

type Json = Record<string, unknown>;

const DAY_S = 86_400;
const INTERVALS = { one_day: DAY_S, seven_days: 7 * DAY_S, thirty_days: 30 * DAY_S };

/** Renders a row of the provider's lists. */
export function renderCollection(office: Office, collection: Collection): Json {
	const { slug, facts } = collection;
	return {
		collection: slug,
		name: facts.name,
		...(facts.description !== null && { description: facts.description }),
		...(facts.image !== null && { image_url: facts.image, banner_image_url: facts.image }),
		...(facts.owner !== null && { owner: facts.owner }),
		safelist_status: "approved",
		category: "art",
		is_disabled: false,
		is_nsfw: false,
		trait_offers_enabled: facts.standard === "erc721",
		collection_offers_enabled: facts.standard === "erc721",
		opensea_url: `${office.publicUrl}/collection/${slug}`,
		project_url: `https://${slug}.example`,
		contracts: [{ address: facts.address, chain: CHAIN }],
	};
}

/** Renders a collection requested by name: not wrapped. */
export function renderCollectionDetail(office: Office, collection: Collection): Json {
	const { facts, units, ids, createdS } = collection;
	const { currencies } = office.market();
	const market = { fee: 1, recipient: addresses.marketFee.toLowerCase(), required: true };
	const { royalty } = facts;
	const artist = royalty && { fee: royalty.percent, recipient: royalty.recipient, required: false };
	const ether = currencies.get(zeroAddress);
	const weth = currencies.get(`0x${addresses.weth.slice(2).toLowerCase()}`);
	return {
		...renderCollection(office, collection),
		editors: facts.owner === null ? [] : [facts.owner],
		fees: artist ? [market, artist] : [market],
		total_supply: Number(units),
		unique_item_count: ids.length,
		created_date: new Date(createdS * 1_000).toISOString().slice(0, 10),
		pricing_currencies: {
			...(ether && { listing_currency: renderCurrency(office, ether) }),
			...(weth && { offer_currency: renderCurrency(office, weth) }),
		},
	};
}

/** Renders figures as doubles; a floor of 0 with an empty symbol means that nothing is for sale. */
export function renderStats(office: Office, collection: Collection): Json {
	const [best] = listingsOf(collection);
	const { totals } = collection;
	const nowS = office.market().head.timeS;
	return {
		total: {
			volume: totals.ether,
			volume_symbol: "ETH",
			sales: totals.sales,
			num_owners: holdersOf(collection).length,
			floor_price: best ? unitsOf(best.totalRaw / best.units, best.currency) : 0,
			floor_price_symbol: best ? best.currency.symbol : "",
		},
		intervals: Object.entries(INTERVALS).map(([interval, seconds]) => {
			const { sales, ether } = salesSince(collection, nowS - seconds);
			return { interval, volume: ether, volume_symbol: "ETH", sales };
		}),
	};
}
