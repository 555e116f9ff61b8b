// Wires up identity: profiles, wallets, sessions, and their routes.

import { randomBytes } from "node:crypto";
import type { Audit } from "#core/audit/createAudit.ts";
import { httpFault } from "#core/http/faults.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { CallerOf } from "#core/plugin/Plugin.ts";
import type { Custody } from "#plugins/custody/contract.ts";
import { createEnrolment } from "#plugins/wallets/enrolment/createEnrolment.ts";
import { createDeployment } from "#plugins/wallets/enrolment/planEnrolment.ts";
import { NONCE_TTL_MS, SESSION_IDLE_MS } from "#plugins/wallets/limits.ts";
import { type UserLimits, usdText } from "#plugins/wallets/profile/profile.ts";
import { readProfile } from "#plugins/wallets/profile/sql.ts";
import { identityRoutes } from "#plugins/wallets/routes/identityRoutes.ts";
import type { PublicSettings } from "#plugins/wallets/routes/profileRoutes.ts";
import { createAuthenticate } from "#plugins/wallets/session/createAuthenticate.ts";
import {
	createSessions,
	type IdentityConfig,
	readCredential,
} from "#plugins/wallets/session/createSessions.ts";
import { createSiwe, homeChain, pruneSignInsJob } from "#plugins/wallets/siwe/createSiwe.ts";
import type { Wallets } from "#plugins/wallets/Wallets.ts";

export type IdentityOptions = {
	core: Pick<Core, "db" | "clock" | "log" | "chains" | "reached" | "allowedOrigins">;
	config: IdentityConfig;
	custody: Custody;
	audit: Audit;
	/** The most that a profile may set. */
	limits: UserLimits;
	dryRun: boolean;
};

type IdentityService = Pick<
	Wallets,
	"authenticate" | "profileOfSocial" | "principalOf" | "deploymentProfile"
>;

/** Makes the identity part: profiles, their wallets, sessions, and the routes to them. */
export function createIdentity(options: IdentityOptions) {
	const { core, config, custody, audit, limits, dryRun } = options;
	const { db, clock } = core;
	const { PUBLIC_URL: publicUrl, SANDBOX: sandbox } = config;
	const home = homeChain(core, { name: config.TRADING_HOME_CHAIN, sandbox });
	if (!home.rpc) {
		core.log.warn("contract wallets cannot sign in: the home chain has no endpoint", {
			chain: home.chain.slug,
		});
	}
	// Version 7 grows: wallets that were linked in one moment keep the order they were told in.
	const newId = () => Bun.randomUUIDv7();
	const sessions = createSessions({
		db,
		clock,
		randomBytes,
		newId,
		secret: config.SESSION_SECRET,
		secure: publicUrl?.startsWith("https:") ?? false,
	});
	const authenticate = createAuthenticate({ db, sessions, custody });
	const shared = { db, clock, audit, sessions, authenticate, newId };
	const siwe = createSiwe({
		...shared,
		randomBytes,
		place: { publicUrl, sandbox, allowedOrigins: core.allowedOrigins },
		chainIds: home.signInChainIds,
		home: { chainId: home.chain.id, rpc: home.rpc },
	});
	const enrolment = createEnrolment({ ...shared, custody, homeChainId: home.chain.id });
	const { id: homeChainId, slug, name } = home.chain;
	const settings: PublicSettings = {
		homeChain: { id: homeChainId, slug, name },
		signInChainIds: [...home.signInChainIds],
		walletProvider: { isOn: custody.isOn },
		dryRun,
		perTradeUsdMax: usdText.of(limits.perTradeUsdMicros),
		dailyUsdMax: usdText.of(limits.dailyUsdMicros),
		walletNotionalUsdMax: usdText.of(limits.walletNotionalUsdMicros),
		settlementAssets: ["ETH", "WETH", "USDG"],
		sessionSeconds: SESSION_IDLE_MS / 1_000,
		nonceSeconds: NONCE_TTL_MS / 1_000,
	};
	const service: IdentityService = {
		authenticate,
		deploymentProfile: createDeployment({ ...shared, custody, homeChainId }),
		profileOfSocial: (socialUserId) => readProfile(db, { socialUserId }),
		async principalOf({ profileId }) {
			const profile = profileId === null ? null : await readProfile(db, { id: profileId });
			if (!profile) throw httpFault.unauthorized();
			return { profile, sessionId: null };
		},
	};
	/** Returns the caller of a request; null without credentials. Wrong ones are `unauthorized`. */
	const callerOf: CallerOf = async (request, options) => {
		const isAnonymous = readCredential(request, sessions.cookie).kind === "none";
		const namesNobody = isAnonymous && !request.headers.has("authorization");
		return namesNobody ? null : (await authenticate(request, options)).profile.id;
	};
	return {
		service,
		callerOf,
		routes: identityRoutes({ ...shared, enrolment, siwe, limits, settings }),
		jobs: [pruneSignInsJob(core)],
	};
}
