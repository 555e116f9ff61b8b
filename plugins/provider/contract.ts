// States what other plugins may use of the marketplace provider.

import type { Address, Hex } from "#core/chain/Hex.ts";
import { serviceKey } from "#core/plugin/Plugin.ts";

/**
 * What a call is for, most urgent first: `request`, which a buyer waits for; `plan`, the book that
 * plans are buying from; `view`, which a page waits for; `search`. `background` work yields when
 * the shared limit of calls a minute is nearly used up, and so does `endless` work, which would use
 * up any limit. Each purpose has its share of the limit, so that none keeps the others from the
 * provider.
 */
export type ProviderPurpose = "request" | "plan" | "view" | "search" | "background" | "endless";

export type ProviderCallOptions = {
	purpose: ProviderPurpose;
	signal?: AbortSignal | undefined;
};

export type ProviderPageOptions = ProviderCallOptions & {
	/** The cursor of the previous answer; left out for the first page. */
	cursor?: string | undefined;
	limit?: number | undefined;
};

/** Holds one page; `cursor` is null at the end. A page may be empty and still have a next one. */
export type ProviderPage<Item> = {
	items: Item[];
	cursor: string | null;
	/**
	 * True: the list broke off here, as the next cursor is unreadable or leads back, and no end was
	 * stated.
	 */
	isBroken?: true;
	/** Number of unreadable rows, which were left out; none if it is undefined. */
	unreadable?: number;
	/** For events: the times of the unreadable rows; null for a row whose time is unreadable too. */
	unreadableAtMs?: readonly (number | null)[];
	/** True: the provider knows no such list, so it has no items, and what exists is unknown. */
	isUnknown?: boolean;
};

/** A contract on a chain that the registry defines. */
export type ProviderContract = { chainId: number; address: Address };

/**
 * A row of the provider's lists. Texts are bounded and have no control characters; a member that
 * the provider left out, or sent in an unreadable form, is null.
 */
export type ProviderCollection = {
	/** The provider's slug. */
	slug: string;
	name: string | null;
	description: string | null;
	imageUrl: string | null;
	bannerImageUrl: string | null;
	projectUrl: string | null;
	isDisabled: boolean;
	/**
	 * The provider's verification of the collection: `verified`, `approved`, `requested`,
	 * `not_requested`.
	 */
	safelistStatus: string | null;
	/** May be empty; contracts on unknown chains are left out. */
	contracts: ProviderContract[];
	/**
	 * The row as it was sent, for clients that know the provider's own shape; at most 64 KiB. Code
	 * that shows it must first remove what a page may not contain.
	 */
	raw: Readonly<Record<string, unknown>>;
};

export type ProviderFee = { percent: number; recipient: Address; isRequired: boolean };

export type ProviderCollectionDetail = ProviderCollection & {
	/** Null where it was left out. 0 where the provider has not counted, as after a launch. */
	totalSupply: bigint | null;
	fees: ProviderFee[];
	/** The day of its creation, as the provider states it. */
	createdAtMs: number | null;
};

/** An amount in display units, as a double, with its currency's symbol. Null where unknown. */
export type ProviderFigure = { value: number; symbol: string } | null;

export type ProviderStats = {
	/**
	 * The best ask, in the currency in which this collection's asks are made. Null without an ask and
	 * where the provider has not read it yet (0, or an empty symbol).
	 */
	floor: ProviderFigure;
	/** Null where the provider says 0 or nothing. */
	owners: number | null;
	volumeTotal: ProviderFigure;
	salesTotal: number | null;
	/** The answer as it was sent. */
	raw: Readonly<Record<string, unknown>>;
};

/** An amount paid or asked for: base units of a currency. */
export type ProviderPayment = {
	/** The amount for all `quantity` units together. */
	totalRaw: bigint;
	/** The zero address for the native coin; null where the provider did not say. */
	currency: Address | null;
	decimals: number | null;
	symbol: string | null;
};

export type ProviderTrait = { type: string; value: string; displayType: string | null };

export type ProviderNft = {
	/** Null where the provider does not state it: in lists of a slug. */
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
	/** Values as text; objects and other non-plain values are left out. */
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

/** Holds an event as the provider reports it. Events on unknown chains are left out. */
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
	/** Units still available. */
	quantity: bigint;
	/** The amount for all of `quantity`. */
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
	/** The signed order, as it was sent; null where the provider withholds it. */
	protocolData: Readonly<Record<string, unknown>> | null;
};

/** The number of tokens with each value of each trait. */
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
	/** Present only where a single drop was asked for. */
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

/** The data for filling an order. None of it may be trusted before it is checked. */
export type ProviderFulfilment = {
	protocol: string;
	transaction: {
		/** The full signature as text; the function's name is before the bracket. */
		function: string;
		chainId: number;
		to: Address;
		valueRaw: bigint;
		inputData: Readonly<Record<string, unknown>>;
		/** Attribution bytes to append to the calldata. */
		calldataSuffix: Hex | null;
	};
	orders: readonly Readonly<Record<string, unknown>>[];
};

export type ProviderListTimeframe = "one_hour" | "one_day" | "seven_days";

export type ProviderStreamState = "off" | "connecting" | "live";

/**
 * A push of the provider's stream. `order` is a new listing or offer; `order_gone` one that was
 * cancelled or cannot be filled any more, `order_back` one that can be filled again.
 */
export type ProviderPush =
	| { type: "event"; slug: string; event: ProviderEvent }
	| { type: "order"; slug: string; order: ProviderOrder }
	| { type: "order_gone" | "order_back"; slug: string; chainId: number; orderHash: Hex }
	| { type: "metadata"; slug: string; nft: ProviderNft };

export type ProviderStream = {
	/**
	 * The state for the whole deployment, whichever process listens; `off` where the stream is not
	 * enabled.
	 */
	state(): ProviderStreamState;
	/** Sets the collections to follow, by the provider's slugs, in place of the former ones. */
	follow(slugs: readonly string[]): void;
	/**
	 * Sets the one listener, in `setup`. It is given some pushes of one collection, in the order of
	 * arrival. If it throws, it is given them again in smaller parts, down to the one that it fails
	 * on: that one is left out, logged, and becomes a gap. So pushes that it already handled may come
	 * again.
	 */
	onPushes(listener: (pushes: readonly ProviderPush[]) => Promise<void>): void;
	/**
	 * Sets the listener for gaps: pushes of these collections may have been missed since `sinceMs`,
	 * so they must be read over HTTP.
	 */
	onGap(listener: (gap: { slugs: readonly string[]; sinceMs: number }) => Promise<void>): void;
};

/**
 * The marketplace provider. A thing that it does not know (404) is null; every other failure is a
 * Fault: `rate_limited` (`members.provider`, `members.retryAfterMs`; `meta.refusedBy` is `provider`
 * after its 429, `pace` where our own limits refused), `provider_unavailable` (5xx, a timeout, a
 * broken connection), `provider_unreadable` (does not fit its schema, or too large),
 * `provider_refused` (any other 4xx), `provider_off` where none is configured.
 *
 * Calls are paced and counted for the whole deployment. Each method makes one call: for more pages
 * the caller asks again.
 */
export type Provider = {
	/** The adapter's name, as in `members.provider`. */
	id: string;
	/** False where no provider is configured: every call then throws `provider_off`. */
	isOn: boolean;
	/** Says whether the last call reached it; null before the first. */
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

	/** Returns the slug of a contract's collection. */
	slugOf(contract: ProviderContract, options: ProviderCallOptions): Promise<string | null>;
	collection(slug: string, options: ProviderCallOptions): Promise<ProviderCollectionDetail | null>;
	stats(slug: string, options: ProviderCallOptions): Promise<ProviderStats | null>;
	traits(slug: string, options: ProviderCallOptions): Promise<ProviderTraitCounts | null>;
	traitFloors(slug: string, options: ProviderCallOptions): Promise<ProviderTraitFloor[] | null>;

	/** Returns events between two times (in whole seconds), newest first. */
	events(
		slug: string,
		options: ProviderPageOptions & {
			types?: readonly ProviderEventType[];
			afterMs?: number;
			beforeMs?: number;
		},
	): Promise<ProviderPage<ProviderEvent>>;
	/** Returns every active listing. */
	listings(slug: string, options: ProviderPageOptions): Promise<ProviderPage<ProviderOrder>>;
	/** Returns listings, cheapest first. */
	bestListings(slug: string, options: ProviderPageOptions): Promise<ProviderPage<ProviderOrder>>;
	bestListing(
		slug: string,
		tokenId: bigint,
		options: ProviderCallOptions,
	): Promise<ProviderOrder | null>;
	/** Returns every active offer: on items, on the collection, on traits. */
	offers(slug: string, options: ProviderPageOptions): Promise<ProviderPage<ProviderOrder>>;
	order(
		order: { chainId: number; protocolAddress: Address; orderHash: Hex },
		options: ProviderCallOptions,
	): Promise<ProviderOrder | null>;

	nft(
		nft: ProviderContract & { tokenId: bigint },
		options: ProviderCallOptions,
	): Promise<ProviderNft | null>;
	/**
	 * Returns tokens of a contract, or of all contracts of a slug; the latter do not state their
	 * chain.
	 */
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

	/** Sent once, and never repeated by itself: the caller decides whether to buy again. */
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
