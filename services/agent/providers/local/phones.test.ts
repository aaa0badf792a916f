import { expect, test } from 'vitest';
import { phonesOf } from './phones.ts';

test.each([
  ['t_ˈɪ_ʃ', 'de', 'T IH SH'],
  ['tʃ_ˈɜː_tʃ', 'en', 'CH ER CH'],
  ['f_ˈoːɹ', 'en', 'F OW R'],
  ['θ_ˈɜː_ɾ_i', 'en', 'TH ER D IY'],
  ['r_ˌeː_z_ɛ_ɾ_v_ˈiː_r_ʊ_ŋ', 'de', 'R EY Z EH R V IY R UH NG'],
  ['t_w_ˈɛ_n_t_i θ_ɹ_ˈiː', 'en', 'T W EH N T IY TH R IY'],
  ['(en)_dʒ_ˈʌ_dʒ_(de)', 'de', 'JH AH JH'],
])('%s', (phonemes, language, phones) => {
  expect(phonesOf(phonemes, language)).toBe(phones);
});
