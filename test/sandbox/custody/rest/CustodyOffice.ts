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

/** Everything that the provider's routes need. */
export type CustodyOffice = {
	appId: string;
	appSecret: string;
	/** The quorum that holds the service's public key, and that key. */
	quorumId: string;
	quorumKey: KeyObject;
	/** The chain of a transaction that names none. */
	firstChain: CustodyChain;
	/** Returns a chain by CAIP-2; null: the provider does not serve it. */
	chainOf(caip2: string): CustodyChain | null;
	people: People;
	store: CustodyStore;
	tokens: Tokens;
	clock: Clock;
	/** Signed raw transactions, by the provider's id. */
	signed: Map<string, { raw: Hex; isDisowned: boolean }>;
	postbox: Postbox;
	/** Runs work that continues after its caller is gone; it ends before the process does. */
	later(work: (stopped: AbortSignal) => Promise<void>): void;
};
