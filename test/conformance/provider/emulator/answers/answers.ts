import type { Answer } from "#test/conformance/provider/emulator/Asked.ts";
import { listChains, onePaymentToken } from "#test/conformance/provider/emulator/answers/chains.ts";
import {
	collectionStats,
	collectionsBatch,
	listCollections,
	oneCollection,
	topCollections,
	trendingCollections,
} from "#test/conformance/provider/emulator/answers/collections.ts";
import { listDrops, oneDrop } from "#test/conformance/provider/emulator/answers/drops.ts";
import { collectionEvents } from "#test/conformance/provider/emulator/answers/events.ts";
import {
	allListings,
	allOffers,
	bestListingOfToken,
	bestListings,
	collectionOffers,
	oneOrder,
} from "#test/conformance/provider/emulator/answers/orders.ts";
import { searchAll } from "#test/conformance/provider/emulator/answers/search.ts";
import {
	collectionHolders,
	collectionTraits,
	nftsBatch,
	nftsOfCollection,
	nftsOfContract,
	oneContract,
	oneNft,
	traitFloors,
} from "#test/conformance/provider/emulator/answers/tokens.ts";

const NFT = "/api/v2/chain/{chain}/contract/{address}";
const ORDER = "/api/v2/orders/chain/{chain}/protocol/{protocol_address}/{order_hash}";

/** Which operation of the document is answered by what. */
export const answers: Readonly<Record<string, Answer>> = {
	"GET /api/v2/chains": listChains,
	"GET /api/v2/collections": listCollections,
	"GET /api/v2/collections/trending": trendingCollections,
	"GET /api/v2/collections/top": topCollections,
	"GET /api/v2/collections/{slug}": oneCollection,
	"GET /api/v2/collections/{slug}/stats": collectionStats,
	"GET /api/v2/collections/{slug}/holders": collectionHolders,
	"POST /api/v2/collections/batch": collectionsBatch,
	"GET /api/v2/collection/{slug}/nfts": nftsOfCollection,
	"GET /api/v2/traits/{slug}": collectionTraits,
	"GET /api/v2/traits/{slug}/floors": traitFloors,
	"GET /api/v2/events/collection/{slug}": collectionEvents,
	"GET /api/v2/listings/collection/{slug}/all": allListings,
	"GET /api/v2/listings/collection/{slug}/best": bestListings,
	"GET /api/v2/listings/collection/{slug}/nfts/{identifier}/best": bestListingOfToken,
	"GET /api/v2/offers/collection/{slug}/all": allOffers,
	"GET /api/v2/offers/collection/{slug}": collectionOffers,
	[`GET ${ORDER}`]: oneOrder,
	[`GET ${NFT}`]: oneContract,
	[`GET ${NFT}/nfts`]: nftsOfContract,
	[`GET ${NFT}/nfts/{identifier}`]: oneNft,
	"POST /api/v2/nfts/batch": nftsBatch,
	"GET /api/v2/chain/{chain}/payment_token/{address}": onePaymentToken,
	"GET /api/v2/drops": listDrops,
	"GET /api/v2/drops/{slug}": oneDrop,
	"GET /api/v2/search": searchAll,
};
