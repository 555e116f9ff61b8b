import type { Address, Hex } from "#core/chain/Hex.ts";
import { serviceKey } from "#core/plugin/serviceKey.ts";

/**
 * For whom a call is made, most urgent first: `request`, what a buyer waits for; `view`, what a
 * page waits for; `search`. Work in the background stands aside when the shared minute is nearly
 * used up, and so does what is `endless`, work that would use up all there is. A part of the minute
 * is each one's own, so that nobody keeps the others from the provider.
 */
export type ProviderPurpose = "request" | "view" | "search" | "background" | "endless";

export type ProviderCallOptions = {
	purpose: ProviderPurpose;
	signal?: AbortSignal | undefined;
};

export type ProviderPageOptions = ProviderCallOptions & {
	/** As the answer before gave it; left out for the first page. */
	cursor?: string | undefined;
	limit?: number | undefined;
};

/** One page; `cursor` is null at the end. A page may be empty and have a next one all the same. */
export type ProviderPage<Item> = {
	items: Item[];
	cursor: string | null;
	/** The list broke off here: what leads on cannot be read or leads back, and no end was told. */
	isBroken?: true;
	/** Rows that could not be read, and were left out; none where it is not said. */
	unreadable?: number;
	/** Of events: when those rows happened; null for each that does not even tell this. */
	unreadableAtMs?: readonly (number | null)[];
	/** The provider knows no such list: it has no items, and nothing is told of what there is. */
	isUnknown?: boolean;
};

/** A contract on a chain that we have a definition for. */
export type ProviderContract = { chainId: number; address: Address };

/**
 * A row of the provider's lists. Texts are clean of control characters and bounded; what the
 * provider left out, or sent in a form nobody can read, is null.
 */
export type ProviderCollection = {
	/** The provider's name for it. */
	slug: string;
	name: string | null;
	description: string | null;
	imageUrl: string | null;
	bannerImageUrl: string | null;
	projectUrl: string | null;
	isDisabled: boolean;
	/** May be empty; on chains that nobody here knows it is. */
	contracts: ProviderContract[];
	/**
	 * The row as it was sent, for clients that know the provider's own shape; at most 64 KiB. Whoever
	 * shows it takes out what no page may be handed.
	 */
	raw: Readonly<Record<string, unknown>>;
};

export type ProviderFee = { percent: number; recipient: Address; isRequired: boolean };

export type ProviderCollectionDetail = ProviderCollection & {
	/** Null where it was left out. 0 is what the provider says of a launch it has not counted. */
	totalSupply: bigint | null;
	fees: ProviderFee[];
	/** The day it was created, as the provider says. */
	createdAtMs: number | null;
};

/** An amount in display units, as a double, and what it is counted in. Null where unknown. */
export type ProviderFigure = { value: number; symbol: string } | null;

export type ProviderStats = {
	/**
	 * The best ask, in the currency that asks for this collection are made in. Null where there is
	 * none and where the provider has not looked yet (0, or a symbol left empty).
	 */
	floor: ProviderFigure;
	/** Null where the provider says 0 or nothing. */
	owners: number | null;
	volumeTotal: ProviderFigure;
	salesTotal: number | null;
	/** The answer as it was sent. */
	raw: Readonly<Record<string, unknown>>;
};

/** What was paid, or is asked for: base units of a currency. */
export type ProviderPayment = {
	/** For all `quantity` units together. */
	totalRaw: bigint;
	/** The zero address for the native coin; null where the provider did not say. */
	currency: Address | null;
	decimals: number | null;
	symbol: string | null;
};

export type ProviderTrait = { type: string; value: string; displayType: string | null };

export type ProviderNft = {
	/** Null where the provider does not say it: in lists of a slug. */
	chainId: number | null;
	contract: Address;
	tokenId: bigint;
	standard: "erc721" | "erc1155" | null;
	collectionSlug: string | null;
	name: string | null;
	description: string | null;
	/** `image_url`, then `display_image_url`. */
	imageUrl: string | null;
	animationUrl: string | null;
	metadataUrl: string | null;
	/** Values as text; objects and the like are left out. */
	traits: ProviderTrait[];
	rank: number | null;
};

type EventBase = {
	occurredAtMs: number;
	chainId: number;
	transactionHash: Hex | null;
	orderHash: Hex | null;
	quantity: bigint;
	payment: ProviderPayment | null;
	nft: ProviderNft | null;
	/** The event as it was sent; at most 64 KiB. */
	raw: Readonly<Record<string, unknown>>;
};

/** What the provider says happened. Events on chains that nobody here knows are left out. */
export type ProviderEvent =
	| (EventBase & { type: "sale"; seller: Address; buyer: Address })
	| (EventBase & { type: "transfer" | "mint"; from: Address; to: Address })
	| (EventBase & {
			type: "listing" | "item_offer" | "collection_offer" | "trait_offer";
			maker: Address;
			expiresAtMs: number | null;
	  });

export type ProviderEventType = ProviderEvent["type"];

export type ProviderOrderCriteria = { type: string; value: string };

/** A listing or an offer in the provider's book. */
export type ProviderOrder = {
	side: "listing" | "offer";
	kind: "listing" | "item_offer" | "collection_offer" | "trait_offer";
	orderHash: Hex;
	chainId: number;
	protocolAddress: Address | null;
	maker: Address;
	contract: Address | null;
	/** Null for an offer on a collection or on traits. */
	tokenId: bigint | null;
	/** Units still to be had. */
	quantity: bigint;
	/** For all of `quantity`. */
	totalRaw: bigint;
	currency: Address | null;
	decimals: number;
	symbol: string;
	isActive: boolean;
	isPrivate: boolean;
	startsAtMs: number | null;
	expiresAtMs: number | null;
	/** Traits that an offer asks for; empty otherwise. */
	criteria: ProviderOrderCriteria[];
	/** The signed order, as it was sent; null where the provider keeps it back. */
	protocolData: Readonly<Record<string, unknown>> | null;
};

/** Tokens that have each value of each trait. */
export type ProviderTraitCounts = { type: string; values: { value: string; count: number }[] }[];

export type ProviderTraitFloor = {
	type: string;
	value: string;
	/** In display units of `symbol`. */
	floor: number;
	symbol: string;
};

export type ProviderDropStage = {
	uuid: string;
	type: string;
	label: string | null;
	priceRaw: bigint | null;
	currency: Address | null;
	startsAtMs: number | null;
	endsAtMs: number | null;
	maxPerWallet: bigint | null;
};

export type ProviderDrop = {
	collectionSlug: string;
	collectionName: string | null;
	chainId: number;
	contract: Address;
	type: string;
	isMinting: boolean;
	imageUrl: string | null;
	activeStage: ProviderDropStage | null;
	nextStage: ProviderDropStage | null;
	/** Only where one drop was asked for. */
	stages: ProviderDropStage[];
	totalSupply: bigint | null;
	maxSupply: bigint | null;
};

export type ProviderSearchHit = {
	slug: string;
	name: string | null;
	imageUrl: string | null;
	isDisabled: boolean;
};

/** What it takes to fill an order. Nothing in it is to be trusted before it was checked. */
export type ProviderFulfilment = {
	protocol: string;
	transaction: {
		/** The full signature as text; its name stands before the bracket. */
		function: string;
		chainId: number;
		to: Address;
		valueRaw: bigint;
		inputData: Readonly<Record<string, unknown>>;
		/** Bytes of attribution that go behind the calldata. */
		calldataSuffix: Hex | null;
	};
	orders: readonly Readonly<Record<string, unknown>>[];
};

export type ProviderListTimeframe = "one_hour" | "one_day" | "seven_days";

export type ProviderStreamState = "off" | "connecting" | "live";

/**
 * What the provider's stream pushes. `order` is a listing or an offer that is new; `order_gone` one
 * that was cancelled or that cannot be filled any more, `order_back` one that can again.
 */
export type ProviderPush =
	| { type: "event"; slug: string; event: ProviderEvent }
	| { type: "order"; slug: string; order: ProviderOrder }
	| { type: "order_gone" | "order_back"; slug: string; chainId: number; orderHash: Hex }
	| { type: "metadata"; slug: string; nft: ProviderNft };

export type ProviderStream = {
	/** In the whole deployment, whichever process listens; `off` where it is not turned on. */
	state(): ProviderStreamState;
	/** The collections to hear of, by the provider's slugs, in place of those before. */
	follow(slugs: readonly string[]): void;
	/**
	 * One listener each, set in `setup`. It is given some pushes of one collection, in the order in
	 * which they came. One that throws is given them in smaller parts, down to the one that it fails
	 * at: that is left out, logged, and becomes a gap. So what it did with a part may come again.
	 */
	onPushes(listener: (pushes: readonly ProviderPush[]) => Promise<void>): void;
	/** Pushes of these collections may have been missed since then: ask over HTTP. */
	onGap(listener: (gap: { slugs: readonly string[]; sinceMs: number }) => Promise<void>): void;
};

/**
 * The marketplace provider. What it does not know (404) is null; everything else that goes wrong is
 * a Fault: `rate_limited` (`members.provider`, `members.retryAfterMs`; `meta.refusedBy` is
 * `provider` after its 429, `pace` where our own limits refused), `provider_unavailable`
 * (5xx, silence, a broken connection), `provider_unreadable` (not what its schema says, too large),
 * `provider_refused` (any other 4xx), `provider_off` where none is configured.
 *
 * Calls are paced and counted for the whole deployment. One list is one call: whoever wants more
 * pages asks for them.
 */
export type Provider = {
	/** The adapter's name, as in `members.provider`. */
	id: string;
	/** False where nothing is configured: every call then throws `provider_off`. */
	isOn: boolean;
	/** Whether the last call reached it; null before the first. */
	isConnected(): boolean | null;
	stream: ProviderStream;

	newest(
		options: ProviderPageOptions & { chainId?: number },
	): Promise<ProviderPage<ProviderCollection>>;
	trending(
		options: ProviderPageOptions & { chainId?: number; timeframe?: ProviderListTimeframe },
	): Promise<ProviderPage<ProviderCollection>>;
	top(
		options: ProviderPageOptions & { chainId?: number },
	): Promise<ProviderPage<ProviderCollection>>;
	search(
		query: string,
		options: ProviderCallOptions & { chainId?: number; limit?: number },
	): Promise<ProviderSearchHit[]>;

	/** The slug of a contract's collection. */
	slugOf(contract: ProviderContract, options: ProviderCallOptions): Promise<string | null>;
	collection(slug: string, options: ProviderCallOptions): Promise<ProviderCollectionDetail | null>;
	stats(slug: string, options: ProviderCallOptions): Promise<ProviderStats | null>;
	traits(slug: string, options: ProviderCallOptions): Promise<ProviderTraitCounts | null>;
	traitFloors(slug: string, options: ProviderCallOptions): Promise<ProviderTraitFloor[] | null>;

	/** Newest first, between two times (whole seconds count). */
	events(
		slug: string,
		options: ProviderPageOptions & {
			types?: readonly ProviderEventType[];
			afterMs?: number;
			beforeMs?: number;
		},
	): Promise<ProviderPage<ProviderEvent>>;
	/** Every active listing. */
	listings(slug: string, options: ProviderPageOptions): Promise<ProviderPage<ProviderOrder>>;
	/** Cheapest first. */
	bestListings(slug: string, options: ProviderPageOptions): Promise<ProviderPage<ProviderOrder>>;
	bestListing(
		slug: string,
		tokenId: bigint,
		options: ProviderCallOptions,
	): Promise<ProviderOrder | null>;
	/** Every active offer: on items, on the collection, on traits. */
	offers(slug: string, options: ProviderPageOptions): Promise<ProviderPage<ProviderOrder>>;
	order(
		order: { chainId: number; protocolAddress: Address; orderHash: Hex },
		options: ProviderCallOptions,
	): Promise<ProviderOrder | null>;

	nft(
		nft: ProviderContract & { tokenId: bigint },
		options: ProviderCallOptions,
	): Promise<ProviderNft | null>;
	/** Tokens of a contract, or of all contracts of a slug: those do not say on which chain. */
	nfts(
		of: { slug: string } | ProviderContract,
		options: ProviderPageOptions,
	): Promise<ProviderPage<ProviderNft>>;

	drops(
		options: ProviderPageOptions & {
			type: "featured" | "upcoming" | "recently_minted";
			chainId?: number;
		},
	): Promise<ProviderPage<ProviderDrop>>;
	drop(slug: string, options: ProviderCallOptions): Promise<ProviderDrop | null>;

	/** Asked for once, and never again by itself: whoever buys decides. */
	listingFulfilment(
		listing: {
			chainId: number;
			protocolAddress: Address;
			orderHash: Hex;
			fulfiller: Address;
			recipient?: Address;
			token?: { contract: Address; tokenId: bigint };
			units?: bigint;
		},
		options: ProviderCallOptions,
	): Promise<ProviderFulfilment | null>;
};

export const ProviderKey = serviceKey<Provider>()("provider");
