/** Who holds the deployment's key, by the name they gave. */
export type Operator = { actor: string };

/** Who may change what belongs to the deployment. */
export type Operators = {
	/**
	 * `x-api-key` compared in constant time; `x-admin-actor` is who says they hold it (`unnamed`
	 * without). Throws `unauthorized` (401): also where no key is configured.
	 */
	authenticate(request: Request): Operator;
};
