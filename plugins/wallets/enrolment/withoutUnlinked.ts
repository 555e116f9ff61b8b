import type { EnrolledUser } from "#plugins/wallets/enrolment/EnrolledUser.ts";
import type { Unlinked } from "#plugins/wallets/enrolment/readUnlinked.ts";

/**
 * Somebody without what they unlinked here. Enrolling is also how people sign in, and signing in
 * must not give a social account its wallet back.
 */
export function withoutUnlinked(user: EnrolledUser, unlinked: Unlinked): EnrolledUser {
	const { social } = user;
	return {
		...user,
		social: social && social.userId !== unlinked.socialUserId ? social : null,
		wallets: user.wallets.filter(({ address }) => !unlinked.addresses.has(address)),
	};
}
