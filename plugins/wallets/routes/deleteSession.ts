import { Elysia } from "elysia";
import type { IdentityContext } from "#plugins/wallets/routes/IdentityContext.ts";

/** Signs out. Done twice, or without a session, it is done all the same. */
export function deleteSession({ db, sessions }: IdentityContext) {
	return new Elysia().delete(
		"/session",
		async ({ request, set }) => {
			await db.transaction((tx) => sessions.end(tx, request));
			set.headers["cache-control"] = "no-store";
			set.headers["set-cookie"] = sessions.cookie.clear();
			set.status = 204;
		},
		{
			detail: {
				operationId: "signOut",
				tags: ["trading"],
				summary: "Signs out",
				description:
					"Ends the session for good, wherever its token was copied to. An access token of the " +
					"wallet provider cannot be ended here: it ends by itself within the hour.",
				security: [{ session: [] }],
				responses: { 204: { description: "Signed out." } },
			},
		},
	);
}
