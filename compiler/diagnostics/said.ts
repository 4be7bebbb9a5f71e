/** For diagnostics whose words the rule makes itself. */
export interface Said {
  readonly message: string;
}

export const say = ({ message }: Said): string => message;
