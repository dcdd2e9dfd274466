/** The keys of an object literal; `Object.keys` does not know their type. */
export const keysOf = <T extends object>(object: T) => Object.keys(object) as (keyof T & string)[];

/** Whether `key` is one of the object's own keys. */
export const isKeyOf = <T extends object>(object: T, key: PropertyKey): key is keyof T & string =>
  Object.hasOwn(object, key);
