import type { Queryable } from "#core/db/Database.ts";

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
