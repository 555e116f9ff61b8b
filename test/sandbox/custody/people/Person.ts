import type { Address, Hex } from "viem";

/** How a user is created. */
export type PersonPlan = {
	/** Null: no account on the social platform. */
	username: string | null;
	/** The wallet embedded at the provider; `none`: the user has only an external wallet. */
	embedded: "delegated" | "manual" | "archived" | "none";
	/** One of anvil's own first ten accounts, linked as an external wallet. */
	external: number | null;
};

/** A user with an account at the wallet provider. */
export type Person = {
	/** The user's DID at the provider: `sub` of the access tokens. */
	id: string;
	/** The user's permanent id on the social platform; the username may change. */
	subject: string | null;
	username: string | null;
	wallet: HeldWallet | null;
	external: Address | null;
};

/** A wallet whose key the provider has. */
export type HeldWallet = {
	id: string;
	address: Address;
	privateKey: Hex;
	isDelegated: boolean;
	isArchived: boolean;
};
