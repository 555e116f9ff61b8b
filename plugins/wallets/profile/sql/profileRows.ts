import type { Tx } from "#core/db/Database.ts";

export const profileRows = {
	async insert(
		tx: Tx,
		profile: { id: string; providerUserId: string | null; now: Date },
	): Promise<void> {
		await tx.execute(
			"insert into wallets.profile (id, provider_user_id, created_at) values ($1, $2, $3)",
			[profile.id, profile.providerUserId, profile.now],
		);
	},

	/** Locks it until the transaction ends: whoever reserves spend of it waits, or came before. */
	async lock(tx: Tx, id: string): Promise<void> {
		await tx.query("select 1 from wallets.profile where id = $1 for update", [id]);
	},

	/** Tells whoever armed something on this profile that it is not the same any more. */
	async touch(tx: Tx, id: string): Promise<void> {
		await tx.execute("update wallets.profile set revision = revision + 1 where id = $1", [id]);
	},

	async setCanonical(tx: Tx, id: string, walletId: string | null): Promise<void> {
		await tx.execute("update wallets.profile set canonical_wallet_id = $2 where id = $1", [
			id,
			walletId,
		]);
	},

	async setSocial(
		tx: Tx,
		id: string,
		social: { userId: string; username: string | null } | null,
	): Promise<void> {
		await tx.execute(
			`update wallets.profile set social_user_id = $2, social_username = $3,
				social_unlinked_id = case when $2::text is null then social_unlinked_id end
			where id = $1`,
			[id, social?.userId ?? null, social?.username ?? null],
		);
	},

	/** Unlinked by its owner, who means it: it is remembered. */
	async unlinkSocial(tx: Tx, id: string): Promise<void> {
		await tx.execute(
			`update wallets.profile set social_unlinked_id = social_user_id, social_user_id = null,
				social_username = null
			where id = $1 and social_user_id is not null`,
			[id],
		);
	},

	/** Gives a profile to a user of the wallet provider; answers false where it has one. */
	async adopt(tx: Tx, id: string, providerUserId: string): Promise<boolean> {
		const adopted = await tx.execute(
			`update wallets.profile set provider_user_id = $2
			where id = $1 and provider_user_id is null`,
			[id, providerUserId],
		);
		return adopted === 1;
	},
};
