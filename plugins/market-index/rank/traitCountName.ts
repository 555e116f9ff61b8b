/**
 * The trait that the method adds to every token: its number of traits with a value. A token's own
 * trait of this name is ignored.
 */
export const traitCountName = "meta_trait:trait_count";
