import type { KeyObject } from "node:crypto";
import type { Hex } from "viem";
import type { Clock } from "#core/clock/Clock.ts";
import type { Rpc } from "../../Rpc.ts";
import type { CustodyStore } from "../createCustodyStore.ts";
import type { Tokens } from "../createTokens.ts";
import type { People } from "../people/createPeople.ts";
import type { Postbox } from "../webhook/createPostbox.ts";

/** A chain that the provider signs for and broadcasts on. */
export type CustodyChain = { id: number; rpc: Rpc };

/** Everything that the provider's routes answer from. */
export type CustodyOffice = {
	appId: string;
	appSecret: string;
	/** The quorum that holds the service's public key, and that key. */
	quorumId: string;
	quorumKey: KeyObject;
	/** The one that a transaction is for where nothing names another. */
	firstChain: CustodyChain;
	/** By CAIP-2; null: it does not serve that chain. */
	chainOf(caip2: string): CustodyChain | null;
	people: People;
	store: CustodyStore;
	tokens: Tokens;
	clock: Clock;
	/** Raw transactions as they were signed, by the provider's id of each. */
	signed: Map<string, { raw: Hex; isDisowned: boolean }>;
	postbox: Postbox;
	/** Work that goes on after its caller is gone; ended before the process is. */
	later(work: (stopped: AbortSignal) => Promise<void>): void;
};
