import { Elysia } from "elysia";
import { deleteSession } from "#plugins/wallets/routes/deleteSession.ts";
import { deleteSocial } from "#plugins/wallets/routes/deleteSocial.ts";
import { deleteWallet } from "#plugins/wallets/routes/deleteWallet.ts";
import { getProfile } from "#plugins/wallets/routes/getProfile.ts";
import { getSettings } from "#plugins/wallets/routes/getSettings.ts";
import type { IdentityContext } from "#plugins/wallets/routes/IdentityContext.ts";
import { postEnrollment } from "#plugins/wallets/routes/postEnrollment.ts";
import { postProfile } from "#plugins/wallets/routes/postProfile.ts";
import { postSiweNonce } from "#plugins/wallets/routes/postSiweNonce.ts";
import { postSiweVerify } from "#plugins/wallets/routes/postSiweVerify.ts";

/** Who somebody is here, and how they come to be it. */
export function identityRoutes(context: IdentityContext) {
	return new Elysia({ prefix: "/v1/trading" })
		.use(getSettings(context))
		.use(getProfile(context))
		.use(postProfile(context))
		.use(deleteSocial(context))
		.use(deleteWallet(context))
		.use(postEnrollment(context))
		.use(postSiweNonce(context))
		.use(postSiweVerify(context))
		.use(deleteSession(context));
}
