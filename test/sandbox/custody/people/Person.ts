import type { Address, Hex } from "viem";

/** How somebody is to be made. */
export type PersonPlan = {
	/** Null: nobody on the social platform. */
	username: string | null;
	/** What is embedded with the provider; `none` has an external wallet only. */
	embedded: "delegated" | "manual" | "archived" | "none";
	/** An account of anvil's own first ten, linked as an external wallet. */
	external: number | null;
};

/** Somebody with an account at the wallet provider. */
export type Person = {
	/** Their DID there: `sub` of their access tokens. */
	id: string;
	/** What the social platform calls them for ever; the username may change. */
	subject: string | null;
	username: string | null;
	wallet: HeldWallet | null;
	external: Address | null;
};

/** A wallet whose key the provider holds. */
export type HeldWallet = {
	id: string;
	address: Address;
	privateKey: Hex;
	isDelegated: boolean;
	isArchived: boolean;
};
