/** Says whether the provider knows owners or a floor of a collection row called `c`. */
export const tradedSql = "(coalesce(c.provider_owners, 0) > 0 or c.floor_native is not null)";
