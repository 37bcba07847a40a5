"""Names of fields in other languages, by the English name with the same role."""

from __future__ import annotations

_ENGLISH = {
    "image": "bild imagen imagem immagine immagini afbeelding изображение 图片 图像 圖片 圖像 照片 画像 写真 이미지 "
    "obraz zdjęcie görsel resim kép obrázek bilde billede εικόνα صورة",
    "image_id": "bild_id bildid bildnr bild_nr bildnummer 图片id 图像id 图片编号 图像编号 画像id 画像番号",
    "photo": "foto 사진",
    "file_name": "dateiname nom_du_fichier nom_fichier nombre_de_archivo nombre_archivo nome_file 文件名 ファイル名 "
    "bestandsnaam nazwa_pliku filnavn filnamn",
    "file": "datei fichier archivo arquivo файл 文件 ファイル",
    "video": "vidéo vídeo видео 视频 視頻 動画 비디오",
    "id": "kennung identifiant identificador identificativo 编号 編號 番号",
    "model": "modell modelo modello modèle модель 模型 モデル 모델",
    "system": "système sistema система 系统 システム",
    "temperature": "temperatur temperatura température температура 温度 溫度 온도 temperatuur sıcaklık teplota "
    "hőmérséklet θερμοκρασία",
    "caption": "bildunterschrift légende leyenda legenda didascalia подпись キャプション 캡션 bijschrift "
    "onderschrift bildtext bildetekst billedtekst altyazı popisek képaláírás λεζάντα تعليق",
    "description": "beschreibung bildbeschreibung descripción descrição descrizione описание 描述 说明 說明 説明 "
    "설명 beschrijving opis açıklama beskrivning beskrivelse popis leírás περιγραφή وصف",
    "prediction": "vorhersage prédiction predicción predicção previsione 预测 預測 予測 生成描述 预测描述 예측 "
    "voorspelling predykcja predikcja tahmin предсказание förutsägelse",
    "output": "ausgabe sortie salida saída вывод 输出 輸出 生成结果 出力 출력 uitvoer çıktı",
    "reference": "referenz référence referencia referência riferimento 参考 參考 参考描述 参考答案 参照 参照文 참조 "
    "referentie referencja odniesienie referans referens эталон референс αναφορά مرجع",
    "references": "referenzen références referencias referências riferimenti referenties referencje referanslar "
    "referenser эталоны",
    "generated": "generiert generierte générée générées généré generada generado generato generata gerada gerado "
    "gegenereerd wygenerowany wygenerowane genererad",
    "human": "humaine humain menschlich menschliche humana humano umana umano",
    "rater": "bewerter bewerterin évaluateur évaluatrice evaluador evaluadora valutatore 评分者 评价者 評価者 "
    "평가자 beoordelaar oceniający",
    "annotator": "annotateur annotatrice anotador anotadora annotatore 标注者 标注员 アノテータ anotator annoteerder",
}
TRANSLATED = {word: english for english, words in _ENGLISH.items() for word in words.split()}
_REMARKS = (
    "kommentar kommentare bemerkung bemerkungen anmerkung anmerkungen notiz notizen commentaire commentaires remarque "
    "remarques comentario comentarios observación observaciones nota notas comentário comentários osservazioni "
    "commento commenti комментарий 备注 评论 評論 備考 コメント 비고"
)
REMARKS = frozenset(_REMARKS.split(" "))
"""Words for remarks, which are not captions."""
