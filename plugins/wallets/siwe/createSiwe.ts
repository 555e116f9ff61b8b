import type { Audit } from "#core/audit/Audit.ts";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Database, Tx } from "#core/db/Database.ts";
import type { Profile } from "#plugins/wallets/contract.ts";
import { walletsFault } from "#plugins/wallets/faults.ts";
import { NONCE_TTL_MS, WALLETS_PER_PROFILE_MAX } from "#plugins/wallets/limits.ts";
import { chooseCanonical } from "#plugins/wallets/profile/chooseCanonical.ts";
import { isDeploymentProfile } from "#plugins/wallets/profile/deploymentName.ts";
import {
	lockIdentity,
	noteChange,
	requireProfile,
} from "#plugins/wallets/profile/requireProfile.ts";
import { profileRows } from "#plugins/wallets/profile/sql/profileRows.ts";
import { walletRows } from "#plugins/wallets/profile/sql/walletRows.ts";
import type { Authenticate } from "#plugins/wallets/session/createAuthenticate.ts";
import type { OpenedSession, Sessions } from "#plugins/wallets/session/createSessions.ts";
import { createNonce } from "#plugins/wallets/siwe/createNonce.ts";
import { isSignedBy } from "#plugins/wallets/siwe/isSignedBy.ts";
import { parseSiweMessage } from "#plugins/wallets/siwe/parseSiweMessage.ts";
import type { SiweMessage } from "#plugins/wallets/siwe/SiweMessage.ts";
import { type SignInPlace, signInOrigins } from "#plugins/wallets/siwe/signInOrigins.ts";
import { siweRefusal } from "#plugins/wallets/siwe/siweRefusal.ts";
import { nonces } from "#plugins/wallets/siwe/sql/nonces.ts";

type SignedWallet = {
	address: Address;
	/** The profile that is to get it; null: whoever has it, else a new one. */
	linkTo: string | null;
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
	/** What messages may carry; the first is what we ask for. */
	chainIds: readonly number[];
	/** Where wallets are linked, and how contracts there are asked; null: they cannot be. */
	home: { chainId: number; rpc: Rpc | null };
};

export type SignedIn = { session: OpenedSession; profile: Profile };

export type Siwe = ReturnType<typeof createSiwe>;

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
		/** Gives out a nonce, and what the message that uses it must say. */
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

function invalidMessage(reason: string) {
	const message = `It is not as ERC-4361 writes it: ${reason}.`;
	return walletsFault.siweMessageInvalid({
		public: `The message cannot be read. ${message}`,
		members: { issues: [{ path: "message", message }] },
	});
}

/** Finds whose a wallet is that somebody has just signed with. A new one is theirs from now on. */
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
