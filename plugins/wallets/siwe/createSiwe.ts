// Signs people in by a message that their wallet signed (ERC-4361).

import type { Audit } from "#core/audit/createAudit.ts";
import { type Chain, homeChainOf, SPECIFIED_HOME_ID } from "#core/chain/Chain.ts";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock.ts";
import type { Database, Queryable, Tx } from "#core/db/Database.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule.ts";
import { walletsFault } from "#plugins/wallets/faults.ts";
import {
	NONCE_LENGTH,
	NONCE_TTL_MS,
	SIGN_IN_PRUNE_EVERY_MS,
	SIGN_IN_PRUNE_ROWS_MAX,
	SIGN_IN_PRUNE_TIMEOUT_MS,
	WALLETS_PER_PROFILE_MAX,
} from "#plugins/wallets/limits.ts";
import type { Profile } from "#plugins/wallets/model.ts";
import { chooseCanonical, isDeploymentProfile } from "#plugins/wallets/profile/changeSettings.ts";
import { lockIdentity, noteChange, requireProfile } from "#plugins/wallets/profile/profile.ts";
import { profileRows, walletRows } from "#plugins/wallets/profile/sql.ts";
import type { Authenticate } from "#plugins/wallets/session/createAuthenticate.ts";
import type { OpenedSession, Sessions } from "#plugins/wallets/session/createSessions.ts";
import { parseSiweMessage, type SiweMessage } from "#plugins/wallets/siwe/parseSiweMessage.ts";
import { isSignedBy, siweRefusal } from "#plugins/wallets/siwe/siweRefusal.ts";

/** Holds the URLs under which a deployment is reached. */
export type SignInPlace = {
	/** `PUBLIC_URL`. */
	publicUrl: string | undefined;
	allowedOrigins: readonly string[];
	sandbox: boolean;
};

export type SiweOptions = {
	db: Database;
	clock: Clock;
	audit: Audit;
	sessions: Sessions;
	authenticate: Authenticate;
	randomBytes: (count: number) => Uint8Array;
	newId: () => string;
	place: SignInPlace;
	/** The chain ids that messages may contain; the first is the one that we ask for. */
	chainIds: readonly number[];
	/**
	 * The chain where wallets are linked, and its nodes for calls of contracts; null: there are none.
	 */
	home: { chainId: number; rpc: Rpc | null };
};

export type SignedIn = { session: OpenedSession; profile: Profile };

export type Siwe = ReturnType<typeof createSiwe>;

export type HomeChain = {
	chain: Chain;
	/** Null where this deployment has no way to it: then contracts there cannot be asked. */
	rpc: Rpc | null;
	/** The chain ids that sign-in messages may contain; the first is the one that we ask for. */
	signInChainIds: readonly number[];
};

type SignedWallet = {
	address: Address;
	/** The profile that gets the wallet; null: its current one, else a new one. */
	linkTo: string | null;
};

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** 113 bits more than the nonce has, so that dividing favours no letter by more than 2^-113. */
const RANDOM_BYTES = 32;

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

export const nonces = {
	async save(db: Queryable, nonce: string, expiresAt: Date): Promise<void> {
		await db.execute("insert into wallets.siwe_nonce (nonce, expires_at) values ($1, $2)", [
			nonce,
			expiresAt,
		]);
	},

	/** Takes a nonce; true: it was there and had time left. Of two at once the row goes to one. */
	async take(db: Queryable, nonce: string, now: Date): Promise<boolean> {
		const taken = await db.query<{ expiresAt: Date }>(
			`delete from wallets.siwe_nonce where nonce = $1 returning expires_at as "expiresAt"`,
			[nonce],
		);
		return taken.some(({ expiresAt }) => expiresAt > now);
	},
};

/**
 * Selects expired rows, by `siwe_nonce_expiry` and `session_expiry`, and by the database's time: no
 * process's clock ends a session. A revoked one is deleted when it would have expired.
 */
const EXPIRED = [
	`delete from wallets.siwe_nonce where nonce in (
		select nonce from wallets.siwe_nonce where expires_at <= now() order by expires_at limit $1
	)`,
	`delete from wallets.session where id in (
		select id from wallets.session where expires_at <= now() order by expires_at limit $1
	)`,
];

/** Signs in with a wallet (ERC-4361): by a nonce of ours, and then the signed message. */
export function createSiwe(options: SiweOptions) {
	const { db, clock, sessions, place, home } = options;

	function readMessage(request: Request, text: string): SiweMessage {
		const reading = parseSiweMessage(text);
		if (reading.kind === "refused") throw invalidMessage(reading.reason);
		const { chainIds } = options;
		const origins = signInOrigins(request, place);
		const refusal = siweRefusal(reading.message, { origins, chainIds, nowMs: clock.nowMs() });
		if (refusal) throw refusal;
		return reading.message;
	}

	return {
		/** Returns a new nonce, and what the message that uses it must contain. */
		async challenge(request: Request) {
			const nonce = createNonce(options.randomBytes);
			const expiresAt = new Date(clock.nowMs() + NONCE_TTL_MS);
			await nonces.save(db, nonce, expiresAt);
			const origins = signInOrigins(request, place);
			const asking = request.headers.get("origin");
			const uri = origins.find((origin) => origin === asking) ?? origins[0] ?? null;
			return {
				nonce,
				expiresAt: expiresAt.toISOString(),
				domain: uri === null ? null : new URL(uri).host,
				uri,
				version: "1" as const,
				chainId: options.chainIds[0] ?? home.chainId,
			};
		},

		/**
		 * Opens a session for whoever signed. The nonce is used up before the signature is looked at,
		 * so each costs one try, and a chain is asked at most once for it.
		 *
		 * @param link adds the wallet to the profile that is signed in, which only its own page can ask
		 * for: without it a planted cookie would collect wallets.
		 */
		async verify(
			request: Request,
			{ message: text, signature, link }: { message: string; signature: Hex; link: boolean },
		): Promise<SignedIn> {
			const message = readMessage(request, text);
			const linkTo = link ? (await options.authenticate(request)).profile.id : null;
			const now = new Date(clock.nowMs());
			if (!(await nonces.take(db, message.nonce, now))) throw walletsFault.siweNonce();
			const address: Address = `0x${message.address.slice(2).toLowerCase()}`;
			const signed = await isSignedBy(address, { text, signature, rpc: home.rpc });
			if (!signed) throw walletsFault.siweSignature();
			return db.transaction(async (tx) => {
				const context = { ...options, homeChainId: home.chainId, now };
				const profile = await profileOfWallet(tx, { address, linkTo }, context);
				return { session: await sessions.open(tx, profile.id, request), profile };
			});
		},
	};
}

/**
 * Letters and digits that nobody can guess: 142 bits.
 *
 * @param randomBytes from the operating system, as `node:crypto` gives them.
 */
export function createNonce(randomBytes: (count: number) => Uint8Array): string {
	let rest = BigInt(`0x${Buffer.from(randomBytes(RANDOM_BYTES)).toString("hex")}`);
	const base = BigInt(ALPHABET.length);
	let nonce = "";
	for (let written = 0; written < NONCE_LENGTH; written++) {
		nonce += ALPHABET[Number(rest % base)];
		rest /= base;
	}
	return nonce;
}

/**
 * Returns the origins of pages that may ask people to sign in here: the service's own and the
 * allowed ones.
 *
 * The `Host` header is whatever the caller writes, so it counts only where it can mislead no user:
 * on this very machine, and in the sandbox.
 */
export function signInOrigins(
	request: Request,
	{ publicUrl, allowedOrigins, sandbox }: SignInPlace,
): readonly string[] {
	if (publicUrl !== undefined) return [new URL(publicUrl).origin, ...allowedOrigins];
	const host = request.headers.get("host") ?? "";
	const own = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : null;
	if (own?.host !== host.toLowerCase()) return allowedOrigins;
	if (!LOOPBACK.test(own.hostname))
		return sandbox ? [own.origin, ...allowedOrigins] : allowedOrigins;
	const port = own.port === "" ? "" : `:${own.port}`;
	const names = ["localhost", "127.0.0.1", "[::1]"].map((name) => `http://${name}${port}`);
	return [own.origin, ...names.filter((name) => name !== own.origin), ...allowedOrigins];
}

/**
 * Returns the chain where wallets are linked: 4663 wherever money is real. In a sandbox without a
 * 4663 of its own it is the chain of its market, and messages may contain either id.
 */
export function homeChain(
	core: Pick<Core, "chains" | "reached">,
	{ name, sandbox }: { name: string | undefined; sandbox: boolean },
): HomeChain {
	const { chains, reached } = core;
	const access = (id: number | undefined) => reached.find(({ chain }) => chain.id === id);
	const asked = homeChainOf(chains, { TRADING_HOME_CHAIN: name, SANDBOX: sandbox });
	const isOpen = name === undefined && sandbox;
	const standIn = isOpen ? (access(SPECIFIED_HOME_ID) ?? reached[0])?.chain : undefined;
	const chain = asked ?? standIn;
	if (!chain) throw walletsFault.homeChainUnknown();
	const ids = new Set(sandbox ? [SPECIFIED_HOME_ID, chain.id] : [chain.id]);
	return {
		chain,
		rpc: access(chain.id)?.rpcFor("requests") ?? null,
		signInChainIds: [...ids],
	};
}

/** Deletes sessions and nonces past their time: anybody can ask for nonces, and few use them. */
export function pruneSignInsJob({ db }: { db: Database }): Job {
	return {
		name: "wallets.pruneSignIns",
		schedule: { everyMs: SIGN_IN_PRUNE_EVERY_MS },
		lock: "cluster",
		timeoutMs: SIGN_IN_PRUNE_TIMEOUT_MS,
		async run() {
			for (const sql of EXPIRED) await db.execute(sql, [SIGN_IN_PRUNE_ROWS_MAX]);
		},
	};
}

function invalidMessage(reason: string) {
	const message = `It is not as ERC-4361 writes it: ${reason}.`;
	return walletsFault.siweMessageInvalid({
		public: `The message cannot be read. ${message}`,
		members: { issues: [{ path: "message", message }] },
	});
}

/**
 * Returns the profile of a wallet that has just signed. A new wallet joins `linkTo`, or gets a new
 * profile.
 */
async function profileOfWallet(
	tx: Tx,
	{ address, linkTo }: SignedWallet,
	context: { audit: Audit; newId: () => string; homeChainId: number; now: Date },
): Promise<Profile> {
	await lockIdentity(tx);
	const [holder] = await walletRows.holdersOf(tx, { addresses: [address], providerWalletIds: [] });
	if (holder) {
		const isElsewhere = linkTo !== null && holder.profileId !== linkTo;
		if (isElsewhere) throw walletsFault.walletLinkedElsewhere();
		if (await isDeploymentProfile(tx, holder.profileId)) throw walletsFault.deploymentOwn();
		return requireProfile(tx, holder.profileId);
	}
	const { audit, newId, homeChainId: chainId, now } = context;
	const profileId = linkTo ?? newId();
	if (linkTo === null) await profileRows.insert(tx, { id: profileId, providerUserId: null, now });
	await profileRows.lock(tx, profileId);
	const before = await requireProfile(tx, profileId);
	if (before.wallets.length >= WALLETS_PER_PROFILE_MAX) throw walletsFault.walletsTooMany();
	const wallet = { id: newId(), capability: "external/manual", providerWalletId: null } as const;
	await walletRows.insert(tx, { ...wallet, profileId, address, chainId, now });
	const canonical = chooseCanonical([...before.wallets, wallet], before.canonicalWalletId);
	await profileRows.setCanonical(tx, profileId, canonical);
	return noteChange(tx, audit, {
		profileId,
		action: linkTo === null ? "wallets.profile.created" : "wallets.wallet.linked",
		walletId: wallet.id,
		detail: { address, by: "signature" },
	});
}
