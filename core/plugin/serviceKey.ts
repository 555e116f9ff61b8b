/** A typed name for what one plugin offers and others need. Carries no value at run time. */
export type ServiceKey<Service, Id extends string = string> = {
	readonly id: Id;
	/** Never set: it only carries the type. */
	readonly phantom?: () => Service;
};

/**
 * Declared in the offering plugin's `contract.ts`. Curried, so that the id stays a literal type and
 * a list of plugins with an unmet need does not compile.
 *
 * @example export const ScannerKey = serviceKey<Scanner>()("chain-scanner");
 */
export function serviceKey<Service>(): <const Id extends string>(
	id: Id,
) => ServiceKey<Service, Id> {
	return (id) => ({ id });
}
