import type { Audit } from "#core/audit/Audit.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Database } from "#core/db/Database.ts";
import type { Enrolment } from "#plugins/wallets/enrolment/createEnrolment.ts";
import type { UserLimits } from "#plugins/wallets/profile/usdText.ts";
import type { PublicSettings } from "#plugins/wallets/routes/settingsSchema.ts";
import type { Authenticate } from "#plugins/wallets/session/createAuthenticate.ts";
import type { Sessions } from "#plugins/wallets/session/createSessions.ts";
import type { Siwe } from "#plugins/wallets/siwe/createSiwe.ts";

/** What the routes of who somebody is are made of. */
export type IdentityContext = {
	db: Database;
	clock: Clock;
	audit: Audit;
	sessions: Sessions;
	authenticate: Authenticate;
	enrolment: Enrolment;
	siwe: Siwe;
	/** The most that a profile may set. */
	limits: UserLimits;
	settings: PublicSettings;
};
